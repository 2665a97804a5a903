package edge

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// ConnectionLimits bound how many connections of a listener are open at once.
type ConnectionLimits struct {
	All    int // further ones wait to be accepted; 0 disables the limit
	Client int // of one client; further ones are closed immediately; 0 disables the limit

	// Exempt reports whether an address is not a client, such as a trusted proxy. A nil Exempt exempts no
	// address. Connections without an IP address are exempt.
	Exempt func(netip.Addr) bool

	Refused *atomic.Uint64 // counts refused connections
}

// LimitConnections bounds the connections of l, before any TLS. The connections, unlike x/net's, have the
// methods that net/http and package lane need: CloseWrite and WriteBoth.
func LimitConnections(l net.Listener, limits ConnectionLimits) net.Listener {
	if limits.All == 0 && limits.Client == 0 {
		return l
	}
	limited := &limitedListener{Listener: l, limits: limits, slots: semaphore.NewWeighted(int64(cmp.Or(limits.All, math.MaxInt)))}
	limited.life, limited.end = context.WithCancel(context.Background())
	return limited
}

type limitedListener struct {
	net.Listener
	limits ConnectionLimits
	slots  *semaphore.Weighted
	life   context.Context // until the listener is closed
	end    context.CancelFunc
	open   perClient
}

func (l *limitedListener) Accept() (net.Conn, error) {
	if l.slots.Acquire(l.life, 1) != nil {
		return nil, net.ErrClosed
	}
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			l.leave(netip.Addr{})
			return nil, err
		}
		client := l.limits.client(c.RemoteAddr().String())
		if _, ok := l.open.enter(client, l.limits.Client); !ok {
			l.refuse(c)
			continue
		}
		return &limitedConn{Conn: c, leave: sync.OnceFunc(func() { l.leave(client) })}, nil
	}
}

// client returns the client to count the peer at an address for; the zero address if the peer is not counted.
func (l *ConnectionLimits) client(address string) netip.Addr {
	addr := addressOf(address)
	if !addr.IsValid() || l.Client == 0 || l.Exempt != nil && l.Exempt(addr) {
		return netip.Addr{}
	}
	return clientPrefix(addr)
}

func (l *limitedListener) leave(client netip.Addr) {
	l.slots.Release(1)
	l.open.leave(client)
}

// perClient counts the holdings of each client. The zero address is not counted.
type perClient struct {
	mu   sync.Mutex
	held map[netip.Addr]int
}

// enter reports whether a client holds less than limit, and counts one more then. n is the number that the client
// holds.
func (p *perClient) enter(client netip.Addr, limit int) (n int, ok bool) {
	if !client.IsValid() {
		return 0, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held[client] >= limit {
		return limit, false
	}
	if p.held == nil {
		p.held = map[netip.Addr]int{}
	}
	p.held[client]++
	return p.held[client], true
}

func (p *perClient) leave(client netip.Addr) {
	if !client.IsValid() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held[client]--
	if p.held[client] == 0 {
		delete(p.held, client)
	}
}

// refuse resets a connection, so that no state of the connection remains here.
func (l *limitedListener) refuse(c net.Conn) {
	if tcp, ok := c.(interface{ SetLinger(seconds int) error }); ok {
		_ = tcp.SetLinger(0) // if this fails, closing is only slower
	}
	_ = c.Close() // nothing was sent
	l.limits.Refused.Add(1)
}

// Close also ends an Accept that waits for a slot.
func (l *limitedListener) Close() error {
	l.end()
	return l.Listener.Close()
}

// limitedConn is a connection that counts until Close.
type limitedConn struct {
	net.Conn
	leave func()
}

// WriteBoth writes two pieces in one system call. Package lane finds this method by an interface. n is the bytes of
// both that were sent.
func (c *limitedConn) WriteBoth(first, second []byte) (n int, err error) {
	total, err := (&net.Buffers{first, second}).WriteTo(c.Conn)
	return int(total), err
}

func (c *limitedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// CloseWrite closes a half of the connection: net/http closes in two steps, so that the client can read
// the complete last response.
func (c *limitedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// LimitStreams bounds the requests in progress over HTTP/2 as [LimitConnections] bounds connections:
// a connection may have hundreds, and each request with an unread response holds as much memory as
// a connection of HTTP/1.1. A request beyond a limit is refused without a body, which nobody has to read.
//
// net/http sends a short response only after the handler has returned, and waits then until the client
// reads. Flushing makes the handler wait, so that the request counts, but costs a system call: one
// response of flushEach is flushed, and each response while the client has more than flushAbove in progress.
func LimitStreams(h http.Handler, limits ConnectionLimits) http.Handler {
	var inProgress, begun atomic.Int64
	var open perClient
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor < 2 {
			h.ServeHTTP(w, r)
			return
		}
		client := limits.client(r.RemoteAddr)
		defer inProgress.Add(-1)
		clientStreams := 0
		ok := inProgress.Add(1) <= int64(limits.All) || limits.All <= 0
		if ok {
			clientStreams, ok = open.enter(client, limits.Client)
		}
		if !ok {
			limits.Refused.Add(1)
			w.Header()["Retry-After"] = []string{"1"}
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		defer open.leave(client)
		h.ServeHTTP(w, r)
		if clientStreams > flushAbove || begun.Add(1)%flushEach == 0 {
			_ = http.NewResponseController(w).Flush() // fails if the client is gone
		}
	})
}

const (
	flushEach  = 16
	flushAbove = 8
)
