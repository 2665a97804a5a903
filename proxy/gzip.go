package proxy

import (
	"bytes"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// Compress compresses a body with gzip. It returns nil unless that is shorter by a tenth.
func Compress(body []byte) []byte {
	if len(body) < minCompressed {
		return nil
	}
	c := compressors.Get().(*compressor)
	defer c.putBack()
	c.out.Reset()
	c.z.Reset(&c.out)
	// Writing to a buffer does not fail.
	_, _ = c.z.Write(body)
	_ = c.z.Close()
	if c.out.Len() > len(body)*9/10 {
		return nil
	}
	return bytes.Clone(c.out.Bytes())
}

// compressor is a writer with its output.
type compressor struct {
	z   *gzip.Writer
	out bytes.Buffer
}

// maxPooledBuffer is the largest output buffer that goes back to the pool, in bytes.
const maxPooledBuffer = 1 << 20

func (c *compressor) putBack() {
	if c.out.Cap() > maxPooledBuffer {
		c.out = bytes.Buffer{}
	}
	compressors.Put(c)
}

// compressors are pooled because each has most of a megabyte.
var compressors = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, 5)
	if err != nil {
		panic("BUG: gzip level: " + err.Error())
	}
	return &compressor{z: z}
}}

// minCompressed is in bytes: a smaller response and its header fit in one packet.
const minCompressed = 1024

// acceptsGzip reports whether a client accepts gzip: by name, or else by *, with a weight
// above zero (RFC 9110, 12.5.3).
func acceptsGzip(accept []string) bool {
	others := false
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			coding, params, _ := strings.Cut(item, ";")
			switch coding = strings.TrimSpace(coding); {
			case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
				return nonzeroWeight(params)
			case coding == "*":
				others = nonzeroWeight(params)
			}
		}
	}
	return others
}

// nonzeroWeight reports whether the weight in parameters is above zero. The default is.
func nonzeroWeight(params string) bool {
	if params == "" {
		return true
	}
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			value = strings.TrimSpace(value)
			return strings.Trim(value, "0123456789.") == "" && strings.Trim(value, "0.") != ""
		}
	}
	return true
}
