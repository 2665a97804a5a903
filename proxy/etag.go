package proxy

import (
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// matches reports whether a condition names the validator of either representation, plain or compressed: a
// client with either has the same version. The comparison is weak, as for If-None-Match, or strong, as for
// If-Match, where a weak tag never matches (RFC 9110, 13.1). A tag with commas is compared in parts: no tag
// of the facade equals one of these.
func matches(header []string, tag string, strong bool) bool {
	if len(header) == 1 && header[0] == tag { // the usual case, at a quarter of the cost
		return true
	}
	for _, line := range header {
		if strings.TrimSpace(line) == "*" {
			return true
		}
		for item := range strings.SplitSeq(line, ",") {
			item, weak := strings.CutPrefix(strings.TrimSpace(item), "W/")
			if !(strong && weak) && plainTag(item) == plainTag(tag) {
				return true
			}
		}
	}
	return false
}

// plainTag returns the validator of the plain body with the same version.
func plainTag(tag string) string { return strings.ReplaceAll(tag, gzipTagEnd, `"`) }

const gzipTagEnd = `-gzip"`

// gzipTag returns the validator of the compressed body, which is another representation.
func gzipTag(tag string) string { return strings.TrimSuffix(tag, `"`) + gzipTagEnd }

// etag returns a strong validator, of the rewritten body.
//
// It need not resist collisions that are made on purpose: all that somebody gains is to see
// an older version of a text of theirs. A SHA-256 would cost a twentieth of a miss of a list
// (calbench -only misses).
func etag(body []byte) string {
	return fmt.Sprintf(`"%016x"`, xxhash.Sum64(body))
}
