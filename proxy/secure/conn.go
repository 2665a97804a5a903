package secure

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
)

// Conn is a TLS connection that sends what one call writes in one system call. One
// goroutine at a time may write.
type Conn struct {
	*tls.Conn
	below   *gatherer
	writing atomic.Bool
}

// Write implements [net.Conn].
func (c *Conn) Write(p []byte) (int, error) { return c.WriteBoth(p, nil) }

// WriteBoth writes two pieces as if they were one. n is the bytes of both that were sent.
func (c *Conn) WriteBoth(first, second []byte) (n int, err error) {
	c.writing.Store(true)
	defer c.writing.Store(false)
	c.below.hold()
	n, err = c.encrypt(first, second)
	if unsent, failed := c.below.release(); failed != nil {
		return max(0, n-unsent), failed
	}
	return n, err
}

// maxRecord is the length of the plaintext of a record (RFC 8446, 5.1).
const maxRecord = 16 << 10

var recordBuffers = sync.Pool{New: func() any { return new([maxRecord]byte) }}

// encrypt writes both pieces in as few records as one.
func (c *Conn) encrypt(first, second []byte) (n int, err error) {
	if len(first) > 0 && len(second) > 0 && len(first) < maxRecord {
		b := recordBuffers.Get().(*[maxRecord]byte)
		defer recordBuffers.Put(b)
		room := copy(b[copy(b[:], first):], second)
		first, second = b[:len(first)+room], second[room:]
	}
	for _, p := range [][]byte{first, second} {
		if len(p) == 0 {
			continue
		}
		var m int
		m, err = c.Conn.Write(p)
		if n += m; err != nil {
			break
		}
	}
	return n, err
}

// Close closes a connection that waits for its client to read at once, and any other after
// close_notify.
func (c *Conn) Close() error {
	if c.writing.Load() {
		_ = c.below.Conn.Close()
	}
	return c.Conn.Close()
}

// gatherer is the connection below TLS. It holds records until all of a write are made.
type gatherer struct {
	net.Conn

	mu      sync.Mutex
	holding bool
	held    *[]byte // nil: none
	err     error   // of sending; all that follows would be garbage to the client
}

func newGatherer(c net.Conn) *gatherer { return &gatherer{Conn: c} }

// heldBuffers have room for the records of a list.
var heldBuffers = sync.Pool{New: func() any { b := make([]byte, 0, 64<<10); return &b }}

// maxHeld is how much is held: what exceeds it is sent, so that a long response takes
// no more memory.
const maxHeld = 256 << 10

// Write is how crypto/tls sends a record.
func (g *gatherer) Write(record []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return 0, g.err
	}
	if !g.holding {
		n, err := g.Conn.Write(record)
		g.err = err
		return n, err
	}
	if g.held == nil {
		g.held = heldBuffers.Get().(*[]byte)
	}
	*g.held = append(*g.held, record...)
	if len(*g.held) >= maxHeld {
		if _, err := g.send(); err != nil {
			return 0, err
		}
	}
	return len(record), nil
}

// hold begins to hold records.
func (g *gatherer) hold() {
	g.mu.Lock()
	g.holding = true
	g.mu.Unlock()
}

// release sends the held records. It returns how much could not be sent.
func (g *gatherer) release() (unsent int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holding = false
	if g.held == nil || g.err != nil {
		return 0, g.err
	}
	return g.send()
}

func (g *gatherer) send() (unsent int, err error) {
	n, err := g.Conn.Write(*g.held)
	unsent = len(*g.held) - n
	if *g.held = (*g.held)[:0]; cap(*g.held) <= maxHeld {
		heldBuffers.Put(g.held)
	}
	g.held, g.err = nil, err
	return unsent, err
}
