package upstream

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
)

const contentEncoding = "Content-Encoding"

// maxCodings is how many codings of one body are decoded. A plugin and a server before it that both
// compress make two.
const maxCodings = 3

// decodedBodies is a transport that asks for gzip and decodes it. By itself net/http decodes one gzip,
// by one of its names.
type decodedBodies struct {
	next http.RoundTripper
	max  int64 // bytes of a body after each of its codings is removed
}

// RoundTrip implements [http.RoundTripper].
func (t decodedBodies) RoundTrip(in *http.Request) (*http.Response, error) {
	out := in.Clone(in.Context())
	out.Header.Set("Accept-Encoding", "gzip") // net/http then leaves the response as it came
	response, err := t.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	n, known := codingsOf(response.Header)
	if !known {
		return response, nil // see [Response.Undecoded]
	}
	for range n {
		response.Body = &gzipBody{from: response.Body, left: t.max}
	}
	if n > 0 {
		response.Header.Del("Content-Length")
		response.ContentLength, response.Uncompressed = -1, true
	}
	response.Header.Del(contentEncoding)
	return response, nil
}

// codingsOf returns how many times a body is compressed by gzip, and whether it has no other coding.
func codingsOf(h http.Header) (n int, known bool) {
	for coding := range strings.SplitSeq(strings.Join(h.Values(contentEncoding), ","), ",") {
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "", "identity":
		case "gzip", "x-gzip": // RFC 9110, 8.4.1.3
			n++
		default:
			return 0, false
		}
	}
	return n, n <= maxCodings
}

// gzipBody decodes a body while it is read. An empty one stays empty: a response without a body
// may name a coding.
type gzipBody struct {
	from io.ReadCloser
	left int64 // bytes that it may have
	z    *gzip.Reader
	err  error // of all further reads
}

// gzipReaders are pooled because each has some forty kilobytes.
var gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}

// Read implements [io.Reader].
func (b *gzipBody) Read(p []byte) (n int, err error) {
	if b.err == nil && b.z == nil {
		b.z = gzipReaders.Get().(*gzip.Reader)
		b.err = b.z.Reset(b.from)
	}
	if b.err == nil {
		n, b.err = b.z.Read(p)
		if b.left -= int64(n); b.left < 0 {
			b.err = errTooBig
		}
	}
	if b.err != nil && b.z != nil {
		gzipReaders.Put(b.z)
		b.z = nil
	}
	return n, b.err
}

// Close implements [io.Closer].
func (b *gzipBody) Close() error { return b.from.Close() }
