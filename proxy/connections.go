package proxy

import (
	"net"
	"sync"
)

// LimitConnections bounds how many connections of l are open at once; more wait to
// be accepted. 0 is no bound. Unlike x/net's it keeps what net/http and [Cork] ask
// of a connection.
func LimitConnections(l net.Listener, most int) net.Listener {
	if most == 0 {
		return l
	}
	return &limitedListener{Listener: l, places: make(chan struct{}, most), closed: make(chan struct{})}
}

type limitedListener struct {
	net.Listener
	places chan struct{}
	once   sync.Once
	closed chan struct{}
}

func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	leave := sync.OnceFunc(func() { <-l.places })
	if whole, ok := c.(wholeConn); ok {
		return &limitedConn{wholeConn: whole, leave: leave}, nil
	}
	return &halfConn{Conn: c, leave: leave}, nil
}

// Close also ends an Accept that waits for a place.
func (l *limitedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	wholeConn
	leave func()
}

func (c *limitedConn) Close() error {
	defer c.leave()
	return c.wholeConn.Close()
}

// halfConn is one that cannot close half of itself.
type halfConn struct {
	net.Conn
	leave func()
}

func (c *halfConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
