package facadetest

import (
	"bytes"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// scripted is a listener of connections that a test makes.
type scripted struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l scripted) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l scripted) Close() error { close(l.closed); return nil }

func (l scripted) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80} }

// ScriptedConn returns the bytes of a client piece by piece, one for each read, and then EOF;
// but not to net/http's read of one byte during a handler, since that would cancel the
// request. So the server alone determines the order of events. That read gets nothing if a client
// waits for each response.
type ScriptedConn struct {
	mu      sync.Mutex
	cond    *sync.Cond
	patient bool
	late    bool // a read takes too long
	closed  bool
	pieces  [][]byte
	got     bytes.Buffer
	done    chan struct{}
}

func (c *ScriptedConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.pieces) == 0 || c.patient && len(p) == 1 {
		if len(p) > 1 || c.closed {
			return 0, io.EOF
		}
		if c.late {
			return 0, os.ErrDeadlineExceeded
		}
		c.cond.Wait()
	}
	n := copy(p, c.pieces[0])
	c.pieces[0] = c.pieces[0][n:]
	if len(c.pieces[0]) == 0 {
		c.pieces = c.pieces[1:]
	}
	return n, nil
}

func (c *ScriptedConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = !t.IsZero() && t.Before(time.Now())
	c.cond.Broadcast()
	return nil
}

func (c *ScriptedConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		close(c.done)
	}
	c.cond.Broadcast()
	return nil
}

func (c *ScriptedConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got.Write(p)
}

func (c *ScriptedConn) CloseWrite() error { return nil }

func (c *ScriptedConn) LocalAddr() net.Addr { return scripted{}.Addr() }

func (c *ScriptedConn) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 2), Port: 1234}
}

func (c *ScriptedConn) SetDeadline(time.Time) error { return nil }

func (c *ScriptedConn) SetWriteDeadline(time.Time) error { return nil }

// wholeRequests reports whether each piece is one that may wait for its answer: its
// end is a head's, before net/http's buffer is.
func wholeRequests(pieces []string) bool {
	return !slices.ContainsFunc(pieces, func(p string) bool { return !strings.HasSuffix(p, "\r\n\r\n") || len(p) > 4000 })
}
