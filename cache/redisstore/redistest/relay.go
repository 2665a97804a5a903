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
			_, _ = io.Copy(pair[0], late{pair[1], &r.Delay})
			_, _ = pair[0].Close(), pair[1].Close()
		}()
	}
}

// late is a connection that delays what it reads.
type late struct {
	net.Conn
	by *atomic.Int64
}

func (l late) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	if by := time.Duration(l.by.Load()); by > 0 {
		<-time.After(by)
	}
	return n, err
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
