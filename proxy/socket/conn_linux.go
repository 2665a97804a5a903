package socket

import (
	"errors"
	"io"
	"net"
	"syscall"
)

// Conn is a connection of package net that is read and written here. Its errors are those
// of package net.
type Conn struct {
	stream
	raw     syscall.RawConn
	reading reading
	writing writing
}

// stream is what TCP and Unix connections have in common.
type stream interface {
	net.Conn
	syscall.Conn
	CloseWrite() error
}

func open(c net.Conn) (net.Conn, error) {
	s, ok := c.(stream)
	if !ok {
		return c, nil
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	opened := &Conn{stream: s, raw: raw}
	opened.reading.try, opened.writing.try = opened.reading.once, opened.writing.once
	return opened, nil
}

// Read implements [net.Conn].
func (c *Conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := c.reading.call(c.raw, p)
	if err != nil {
		return 0, c.failed("read", err)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Write implements [net.Conn].
func (c *Conn) Write(p []byte) (int, error) { return c.WriteBoth(p, nil) }

// WriteBoth writes two pieces as if they were one. n is the bytes of both that were sent.
func (c *Conn) WriteBoth(first, second []byte) (n int, err error) {
	n, err = c.writing.call(c.raw, first, second)
	if err != nil {
		return n, c.failed("write", err)
	}
	return n, nil
}

// SetLinger is [net.TCPConn.SetLinger]; it has no effect on another connection.
func (c *Conn) SetLinger(seconds int) error {
	if tcp, ok := c.stream.(*net.TCPConn); ok {
		return tcp.SetLinger(seconds)
	}
	return nil
}

// failed returns an error as package net would.
func (c *Conn) failed(operation string, err error) error {
	if waiting, ok := err.(*net.OpError); ok { // from syscall.RawConn: its own, not wrapped
		waiting.Op = operation
		return waiting
	}
	at := c.LocalAddr()
	return &net.OpError{Op: operation, Net: at.Network(), Source: at, Addr: c.RemoteAddr(), Err: err}
}
