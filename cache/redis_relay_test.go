package cache

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// relay passes connections on to an address that can change.
type relay struct {
	address string
	delay   atomic.Int64 // nanoseconds that each read waits before it is passed on

	mu     sync.Mutex
	target string
	off    bool
	open   []net.Conn
}

func startRelay(t testing.TB, target string) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	r := &relay{address: l.Addr().String(), target: target}
	t.Cleanup(func() { _ = l.Close(); r.cut(true) })
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

func (r *relay) pass(in net.Conn) {
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
			_, _ = io.Copy(pair[0], late{pair[1], &r.delay})
			_, _ = pair[0].Close(), pair[1].Close()
		}()
	}
}

// late is a connection whose bytes come late.
type late struct {
	net.Conn
	by *atomic.Int64
}

func (l late) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	if by := time.Duration(l.by.Load()); by > 0 {
		pause(context.Background(), by)
	}
	return n, err
}

// cut ends all connections, and while off makes no new ones.
func (r *relay) cut(off bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.off = off
	for _, c := range r.open {
		_ = c.Close()
	}
	r.open = nil
}

func (r *relay) to(target string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.target = target
}
