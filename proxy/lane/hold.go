package lane

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// ConnContext lets [Hold] find the connection of a request; for
// [http.Server.ConnContext].
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(carrier); ok {
		return context.WithValue(ctx, connKey{}, c.laneConn())
	}
	return ctx
}

type connKey struct{}

// Hold makes the connection of r hold the beginning of a response back until the rest is
// written. The caller must write all of the response, of this header and so many bytes,
// without waiting for anything.
func Hold(r *http.Request, header http.Header, body int) {
	c, ok := r.Context().Value(connKey{}).(*conn)
	if !ok {
		return
	}
	c.due = body
	if body <= bufferSize { // else the body alone does not fit
		c.due += headLength(header)
	}
}

// bufferSize is the number of bytes that net/http gathers before a write. If net/http gathered more, responses
// of about that size would be sent in two pieces.
const bufferSize = 4 << 10

// headLength returns the minimum length of header fields, in bytes.
func headLength(h http.Header) int {
	n := 0
	for name, values := range h {
		for _, v := range values {
			n += len(name) + len(": ") + len(v) + len("\r\n")
		}
	}
	return n
}

// Write sends p, or holds p if more is certain to follow at once.
func (c *conn) Write(p []byte) (int, error) {
	if len(c.held) > 0 {
		return c.writeBoth(p)
	}
	moreFollows := len(p) < c.due
	c.due = 0
	if !moreFollows {
		return c.halfCloser.Write(p)
	}
	c.pooled = heldBuffers.Get().(*[]byte)
	c.held = append((*c.pooled)[:0], p...)
	return len(p), nil
}

// heldBuffers are the buffers of connections without the lane: an idle connection has no buffer.
var heldBuffers = sync.Pool{New: func() any { return new([]byte) }}

// writeBoth sends the held bytes, and p. n is the bytes of p.
func (c *conn) writeBoth(p []byte) (n int, err error) {
	held := len(c.held)
	if writer, ok := c.halfCloser.(bothWriter); ok {
		n, err = writer.WriteBoth(c.held, p)
	} else {
		var total int64
		total, err = (&net.Buffers{c.held, p}).WriteTo(c.halfCloser)
		n = int(total)
	}
	c.held = c.held[:0]
	if c.pooled != nil {
		*c.pooled = c.held
		heldBuffers.Put(c.pooled)
		c.held, c.pooled = nil, nil
	}
	return max(0, n-held), err
}

// bothWriter is a connection that writes two pieces as cheaply as one. The connections of package secure do,
// and the limited connections of package edge, which hide the TCP connection from net.Buffers.
type bothWriter interface {
	WriteBoth(first, second []byte) (n int, err error)
}
