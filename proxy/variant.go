package proxy

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzip"

	"github.com/calfacade/calfacade/cache"
)

// variant is the representation of an entry that a client gets.
type variant struct {
	gzipped     bool
	notModified bool // the client has the representation
	body        []byte
	tag         string
}

func variantOf(e *cache.Entry, gzip bool, ifNoneMatch []string) variant {
	v := variant{body: e.Body, tag: e.ETag}
	v.gzipped = gzip && e.Gzip != nil
	if v.gzipped {
		v.body = e.Gzip
		v.tag = gzipTag(v.tag)
	}
	v.notModified = e.Status == http.StatusOK && matches(ifNoneMatch, v.tag, false)
	return v
}

// matches reports whether a condition names the validator of either representation, plain or compressed: a
// client with either has the same version. The comparison is weak, as for If-None-Match, or strong, as for
// If-Match, where a weak tag never matches (RFC 9110, 13.1). A tag with commas is compared in parts: no tag of
// the facade equals such a part.
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
// The validator need not resist collisions that are made on purpose: an attacker gains only an older version of
// a text of theirs. A SHA-256 would cost a twentieth of a miss of a list (calbench -only misses).
func etag(body []byte) string {
	return fmt.Sprintf(`"%016x"`, xxhash.Sum64(body))
}

// compress compresses a body with gzip, and returns nil unless that saves a tenth.
func compress(body []byte) []byte {
	if len(body) < minCompressed {
		return nil
	}
	var out bytes.Buffer
	z := compressors.Get().(*gzip.Writer)
	z.Reset(&out)
	// Writing to a buffer does not fail.
	_, _ = z.Write(body)
	_ = z.Close()
	z.Reset(io.Discard) // releases out
	compressors.Put(z)
	if out.Len() > len(body)*9/10 {
		return nil
	}
	return bytes.Clone(out.Bytes())
}

// compressors are pooled because each has most of a megabyte.
var compressors = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(io.Discard, 5)
	if err != nil {
		panic("BUG: gzip level: " + err.Error())
	}
	return z
}}

// minCompressed is in bytes: a smaller response and its header fit in one packet.
const minCompressed = 1024

// acceptsGzip reports whether a client accepts gzip: by name, or else by *, with a weight
// above zero (RFC 9110, 12.5.3).
func acceptsGzip(accept []string) bool {
	wildcard := false
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			coding, params, _ := strings.Cut(item, ";")
			coding = strings.TrimSpace(coding)
			switch {
			case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
				return nonzeroWeight(params)
			case coding == "*":
				wildcard = nonzeroWeight(params)
			}
		}
	}
	return wildcard
}

// nonzeroWeight reports whether a weight, the only parameter of a coding, is above zero. The default is 1.
func nonzeroWeight(params string) bool {
	name, value, _ := strings.Cut(params, "=")
	value = strings.TrimSpace(value)
	return !strings.EqualFold(strings.TrimSpace(name), "q") ||
		strings.Trim(value, "0123456789.") == "" && strings.Trim(value, "0.") != ""
}
