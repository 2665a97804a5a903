package proxy

import (
	"fmt"
	"iter"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// entityTags returns the entity tags in the lines of a condition, and whether each is weak
// (RFC 9110, 8.8.3); "*" is the only one of its line. A tag with commas is returned in parts: no tag of
// the facade equals one of these.
func entityTags(lines []string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for _, line := range lines {
			for item := range strings.SplitSeq(line, ",") {
				tag, weak := strings.CutPrefix(strings.TrimSpace(item), "W/")
				if (tag != "*" || strings.TrimSpace(line) == "*") && !yield(tag, weak) {
					return
				}
			}
		}
	}
}

// matches reports whether If-None-Match names the validator of either representation. The
// comparison is weak (RFC 9110, 13.1.2).
func matches(header []string, tag string) bool {
	if len(header) == 1 && header[0] == tag { // the usual case, at a quarter of the cost
		return true
	}
	if len(header) == 0 {
		return false
	}
	for item := range entityTags(header) {
		if item == tag || item == "*" || isGzipTag(item, tag) || isGzipTag(tag, item) {
			return true
		}
	}
	return false
}

// matchesStrongly reports whether If-Match names the validator of the plain body or of its
// compressed form: a client with either has the current version. The comparison is strong
// (RFC 9110, 13.1.1): a weak tag never matches.
func matchesStrongly(header []string, tag string) bool {
	for item, weak := range entityTags(header) {
		if item == "*" || !weak && (item == tag || isGzipTag(item, tag)) {
			return true
		}
	}
	return false
}

// isGzipTag reports whether a is the validator of the compressed form of the body with b.
func isGzipTag(a, b string) bool {
	plain, ok := strings.CutSuffix(a, gzipTagEnd)
	return ok && len(b) == len(plain)+1 && b[:len(plain)] == plain && b[len(plain)] == '"'
}

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
