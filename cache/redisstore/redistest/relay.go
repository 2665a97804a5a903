package redistest

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Relay forwards connections to an address that can change.
type Relay struct {
	Address string
	Delay   atomic.Int64 // nanoseconds that each read waits before it is passed on
	gate    atomic.Pointer[gate]

	mu     sync.Mutex
	target string
	off    bool
	open   []net.Conn
}

// StartRelay starts a relay to target.
func StartRelay(t testing.TB, target string) *Relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Must(t, err)
	r := &Relay{Address: l.Addr().String(), target: target}
	t.Cleanup(func() { _ = l.Close(); r.Cut(true) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			r.pass(c)
		}
	}()
	return r
}

func (r *Relay) pass(in net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out, err := net.Dial("tcp", r.target)
	if r.off || err != nil {
		_ = in.Close()
		return
	}
	r.open = append(r.open, in, out)
	for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
		go func() {
			_, _ = io.Copy(pair[0], late{pair[1], r, pair[1] == out})
			_, _ = pair[0].Close(), pair[1].Close()
		}()
	}
}

// late is a connection that delays what it reads.
type late struct {
	net.Conn
	relay *Relay
	reply bool // it is to the target
}

func (l late) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	if by := time.Duration(l.relay.Delay.Load()); by > 0 {
		<-time.After(by)
	}
	if g := l.relay.gate.Load(); l.reply && g != nil {
		g.once.Do(func() { close(g.reached) })
		<-g.open
	}
	return n, err
}

// gate holds back what the target sends.
type gate struct {
	once          sync.Once
	reached, open chan struct{}
}

// Hold holds back what the target sends until release is called. reached is closed once something
// is held back.
func (r *Relay) Hold() (reached <-chan struct{}, release func()) {
	g := &gate{reached: make(chan struct{}), open: make(chan struct{})}
	r.gate.Store(g)
	return g.reached, func() {
		r.gate.Store(nil)
		close(g.open)
	}
}

// Cut closes all connections; while off, it also refuses new ones.
func (r *Relay) Cut(off bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.off = off
	for _, c := range r.open {
		_ = c.Close()
	}
	r.open = nil
}

// To changes the target of new connections.
func (r *Relay) To(target string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.target = target
}
