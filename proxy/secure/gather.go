package secure

import (
	"net"
	"sync"
)

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

// release sends what is held. It returns how much could not be sent.
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
