package secure

import (
	"bytes"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
)

// Conn is a TLS connection that sends the data of one call of Write in one system call. One
// goroutine at a time may write.
type Conn struct {
	*tls.Conn
	gatherer *gatherer
	writing  atomic.Bool
}

// Write implements [net.Conn].
func (c *Conn) Write(p []byte) (int, error) { return c.WriteBoth(p, nil) }

// WriteBoth writes two pieces in one system call. n is the bytes of both that were sent.
func (c *Conn) WriteBoth(first, second []byte) (n int, err error) {
	c.writing.Store(true)
	defer c.writing.Store(false)
	c.gatherer.hold()
	for _, p := range [][]byte{first, second} {
		if len(p) > 0 && err == nil {
			var m int
			m, err = c.Conn.Write(p)
			n += m
		}
	}
	if unsent, failed := c.gatherer.release(); failed != nil {
		return max(0, n-unsent), failed
	}
	return n, err
}

// Close closes a connection that waits for its client to read at once, and any other after
// close_notify.
func (c *Conn) Close() error {
	if c.writing.Load() {
		_ = c.gatherer.Conn.Close()
	}
	return c.Conn.Close()
}

// gatherer is the connection below TLS, and holds records until all records of a write are made.
type gatherer struct {
	net.Conn

	mu   sync.Mutex
	held *bytes.Buffer // nil: each record is sent
	err  error         // of sending; all that follows would be garbage to the client
}

// heldBuffers have room for the records of a list.
var heldBuffers = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 64<<10)) }}

// maxHeld is the limit in bytes above which held records are sent before the write ends, so that a long response
// takes no more memory.
const maxHeld = 256 << 10

// Write is how crypto/tls sends a record.
func (g *gatherer) Write(record []byte) (n int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.err != nil:
	case g.held == nil:
		n, g.err = g.Conn.Write(record)
	default:
		n, _ = g.held.Write(record)
		if g.held.Len() >= maxHeld {
			_, g.err = g.held.WriteTo(g.Conn)
		}
	}
	return n, g.err
}

// hold begins to hold records.
func (g *gatherer) hold() {
	g.mu.Lock()
	g.held = heldBuffers.Get().(*bytes.Buffer)
	g.mu.Unlock()
}

// release sends the held records, and returns the number of bytes that could not be sent.
func (g *gatherer) release() (unsent int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		_, g.err = g.held.WriteTo(g.Conn)
	}
	unsent = g.held.Len()
	g.held.Reset()
	if g.held.Cap() <= maxHeld {
		heldBuffers.Put(g.held)
	}
	g.held = nil
	return unsent, g.err
}
