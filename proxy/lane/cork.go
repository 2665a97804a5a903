package lane

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// Cork makes a server over l send a response in one system call: by itself net/http
// writes the header with the beginning of the body, and then the rest of the body. It
// saves a third of a hit of 40 KB and a tenth of one of 4 KB (BenchmarkCork). The
// server must have [ConnContext], and its handler must call [Hold]. The connections are put into
// lane; nil: net/http alone serves them.
func Cork(l net.Listener, lane *Lane) net.Listener { return listener{Listener: l, lane: lane} }

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

type listener struct {
	net.Listener
	lane *Lane
}

func (l listener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	inner, ok := nc.(halfCloser)
	if !ok {
		return nc, nil
	}
	if _, ok := nc.(*tls.Conn); ok {
		return nc, nil // net/http serves HTTP/2 on this type alone
	}
	c := &conn{halfCloser: inner, raw: rawConn(inner), lane: l.lane, started: time.Now()}
	c.handedOver = l.lane == nil || !l.lane.add(c)
	if state, ok := nc.(secured); ok {
		c.secured = state
		return secureConn{conn: c, secured: state}, nil
	}
	return c, nil
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

// Write sends p, or holds it if more is certain to follow at once.
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

// heldBuffers are the buffers of connections without the lane: an idle one has none.
var heldBuffers = sync.Pool{New: func() any { return new([]byte) }}

// writeBoth sends the held bytes, and p. n is the bytes of p.
func (c *conn) writeBoth(p []byte) (n int, err error) {
	held := len(c.held)
	if writer, ok := c.raw.(bothWriter); ok {
		n, err = writer.WriteBoth(c.held, p)
	} else {
		var total int64
		total, err = (&net.Buffers{c.held, p}).WriteTo(c.raw)
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

// secureConn has a type of its own, since net/http passes the TLS state of each connection
// with the method ConnectionState to its requests.
type secureConn struct {
	*conn
	secured
}

// secured is a TLS connection. What it reads and writes is decrypted.
type secured interface {
	ConnectionState() tls.ConnectionState
}
