package proxy

import (
	"github.com/calfacade/calfacade/proxy/telemetry"
	"net"
	"net/netip"
	"sync"
)

// ConnectionLimits bound how many connections of a listener are open at once.
type ConnectionLimits struct {
	All    int // more wait to be accepted; 0: no bound
	Client int // of one address, or of IPv6 one network of 64 bits; more are closed at once; 0: no bound

	// Exempt reports whether an address is no client, such as a trusted proxy; nil
	// exempts none. What is no IP address is exempt.
	Exempt  func(netip.Addr) bool
	Metrics *telemetry.Metrics // nil counts nothing
}

// LimitConnections bounds the connections of l, before any TLS. Unlike x/net's it keeps
// what net/http and [lane.Cork] ask of a connection.
func LimitConnections(l net.Listener, limits ConnectionLimits) net.Listener {
	if limits.All == 0 && limits.Client == 0 {
		return l
	}
	if limits.Exempt == nil {
		limits.Exempt = func(netip.Addr) bool { return false }
	}
	limited := &limitedListener{Listener: l, limits: limits, closed: make(chan struct{}), clients: map[netip.Addr]int{}}
	if limits.All > 0 {
		limited.places = make(chan struct{}, limits.All)
	}
	return limited
}

type limitedListener struct {
	net.Listener
	limits ConnectionLimits
	places chan struct{} // nil: no bound
	once   sync.Once
	closed chan struct{}

	mu      sync.Mutex
	clients map[netip.Addr]int // connections of each that has any
}

func (l *limitedListener) Accept() (net.Conn, error) {
	if l.places != nil {
		select {
		case l.places <- struct{}{}:
		case <-l.closed:
			return nil, net.ErrClosed
		}
	}
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			l.leave(netip.Addr{})
			return nil, err
		}
		from := l.client(c)
		if !l.enter(from) {
			l.refuse(c)
			continue
		}
		leave := sync.OnceFunc(func() { l.leave(from) })
		if whole, ok := c.(halfCloser); ok {
			return &limitedConn{halfCloser: whole, leave: leave}, nil
		}
		return &plainConn{Conn: c, leave: leave}, nil
	}
}

// client is whom a connection counts for; the zero address: nobody.
func (l *limitedListener) client(c net.Conn) netip.Addr {
	at, err := netip.ParseAddrPort(c.RemoteAddr().String())
	from := at.Addr().Unmap().WithZone("")
	if err != nil || l.limits.Client == 0 || l.limits.Exempt(from) {
		return netip.Addr{}
	}
	return quotaHolder(from)
}

func (l *limitedListener) enter(from netip.Addr) bool {
	if !from.IsValid() {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clients[from] >= l.limits.Client {
		return false
	}
	l.clients[from]++
	return true
}

func (l *limitedListener) leave(from netip.Addr) {
	if l.places != nil {
		<-l.places
	}
	if !from.IsValid() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clients[from]--; l.clients[from] == 0 {
		delete(l.clients, from)
	}
}

// refuse closes a connection by a reset, which leaves nothing behind here.
func (l *limitedListener) refuse(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // it is only slower without
	}
	_ = c.Close() // nothing was sent
	l.limits.Metrics.RefuseConnection()
}

// Close also ends an Accept that waits for a place.
func (l *limitedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// halfCloser is a connection that net/http closes in two steps, so that a client reads
// the last response to its end.
type halfCloser interface {
	net.Conn
	CloseWrite() error
}

type limitedConn struct {
	halfCloser
	leave func()
}

// Unlimited returns the connection below the limit. [lane.Cork] writes to it.
func (c *limitedConn) Unlimited() net.Conn { return c.halfCloser }

func (c *limitedConn) Close() error {
	defer c.leave()
	return c.halfCloser.Close()
}

// plainConn is a connection that cannot close half of itself.
type plainConn struct {
	net.Conn
	leave func()
}

func (c *plainConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
