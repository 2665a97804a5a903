package lane

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// Cork makes a server over l send a response in one system call: by itself net/http
// writes the header with the beginning of the body, and then the rest of the body. It
// saves a third of a hit of 40 KB and a tenth of one of 4 KB (BenchmarkCork). The
// server must have [ConnContext], and its handler must call [Hold].
func Cork(l net.Listener) net.Listener { return corkedListener{l} }

// ConnContext lets [Hold] find the connection of a request; for
// [http.Server.ConnContext].
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(interface{ corked() *corkedConn }); ok {
		return context.WithValue(ctx, corkedKey{}, c.corked())
	}
	return ctx
}

type corkedKey struct{}

// Hold makes the connection of r hold the beginning of a response back until the rest is
// written. The caller must write all of the response, of this header and so many bytes,
// without waiting for anything.
func Hold(r *http.Request, header http.Header, body int) {
	c, ok := r.Context().Value(corkedKey{}).(*corkedConn)
	if !ok {
		return
	}
	c.due = body
	if body <= bufferSize { // else the body alone does not fit
		c.due += headLength(header)
	}
}

// bufferSize is how many bytes net/http gathers before it writes. Were it more, responses
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

type corkedListener struct{ net.Listener }

func (l corkedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	whole, ok := c.(halfCloser)
	if !ok {
		return c, nil
	}
	if _, ok := c.(*tls.Conn); ok {
		return c, nil // net/http serves HTTP/2 on this type alone
	}
	corked := &corkedConn{halfCloser: whole, raw: rawConn(whole)}
	if state, ok := c.(secured); ok {
		corked.secured = state
		return secureCorkedConn{corked, state}, nil
	}
	return corked, nil
}

// rawConn returns the connection that can send two pieces at once, which is hidden by one
// that limits connections.
func rawConn(c halfCloser) halfCloser {
	if limited, ok := c.(interface{ Unlimited() net.Conn }); ok {
		if raw, ok := limited.Unlimited().(halfCloser); ok {
			return raw
		}
	}
	return c
}

// halfCloser is a connection whose writing half net/http closes first, so that a client
// reads the last response to its end.
type halfCloser interface {
	net.Conn
	CloseWrite() error
}

// bothWriter is a connection that writes two pieces as cheaply as one, as of package
// secure does.
type bothWriter interface {
	WriteBoth(first, second []byte) (n int, err error)
}

// corkedConn is written to by one goroutine at a time, as net/http does.
type corkedConn struct {
	halfCloser
	raw     halfCloser
	secured secured // nil: not TLS
	reads   readDeadline
	due     int     // minimum bytes that the response still has
	held    []byte  // the beginning of a response; in the lane its array is reused
	pooled  *[]byte // the array of held, unless that is the lane's
}

func (c *corkedConn) corked() *corkedConn { return c }

// Write sends p, or holds it if more is certain to follow at once.
func (c *corkedConn) Write(p []byte) (int, error) {
	if len(c.held) > 0 {
		return c.writeBoth(p)
	}
	more := len(p) < c.due
	c.due = 0
	if !more {
		return c.halfCloser.Write(p)
	}
	c.pooled = heldBuffers.Get().(*[]byte)
	c.held = append((*c.pooled)[:0], p...)
	return len(p), nil
}

// heldBuffers are the buffers of connections without the lane: an idle one has none.
var heldBuffers = sync.Pool{New: func() any { return new([]byte) }}

// writeBoth sends the held bytes, and p. n is the bytes of p.
func (c *corkedConn) writeBoth(p []byte) (n int, err error) {
	held := len(c.held)
	if both, ok := c.raw.(bothWriter); ok {
		n, err = both.WriteBoth(c.held, p)
	} else {
		var sent int64
		sent, err = (&net.Buffers{c.held, p}).WriteTo(c.raw)
		n = int(sent)
	}
	c.held = c.held[:0]
	if c.pooled != nil {
		*c.pooled = c.held
		heldBuffers.Put(c.pooled)
		c.held, c.pooled = nil, nil
	}
	return max(0, n-held), err
}

// secureCorkedConn has a type of its own, as secureConn has.
type secureCorkedConn struct {
	*corkedConn
	secured
}

// secured is a TLS connection. What it reads and writes is decrypted.
type secured interface {
	ConnectionState() tls.ConnectionState
}
