package lane

import (
	"crypto/tls"
	"net"
	"time"
)

// Cork makes a server over l send a response in one system call: net/http alone
// writes the header with the beginning of the body, and then the rest of the body. Cork
// saves a third of a hit of 40 KB and a tenth of one of 4 KB (BenchmarkCork). The
// server must have [ConnContext], and its handler must call [Hold]. The connections are put into
// lane; a nil lane leaves them to net/http.
func Cork(l net.Listener, lane *Lane) net.Listener { return listener{Listener: l, lane: lane} }

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
	c := &conn{halfCloser: inner, lane: l.lane, started: time.Now()}
	c.changed.L = &c.mu
	if l.lane != nil {
		c.phase = unread
	}
	if state, ok := nc.(secured); ok {
		c.secured = state
		return secureConn{conn: c, secured: state}, nil
	}
	return c, nil
}

// secureConn is a type of its own, since net/http passes the TLS state of each connection
// with the method ConnectionState to the requests.
type secureConn struct {
	*conn
	secured
}
