package socket

import "net"

// Listen returns a listener of which each TCP or Unix connection is a [Conn], on Linux.
func Listen(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return open(c)
}
