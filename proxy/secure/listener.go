package secure

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.uber.org/zap"
)

// Listener accepts connections after their handshakes: with HTTP/1, as a [Conn]; with
// HTTP/2 or a failure, as a *tls.Conn: net/http serves the former and reports the
// latter. A connection that the client closes within the handshake is not accepted: the
// TCP checks of load balancers do so every few seconds.
//
// Each handshake has a goroutine and a timeout, so that slow handshakes delay no others.
type Listener struct {
	net.Listener // below TLS
	certificate  *Certificate
	timeout      time.Duration  // of a handshake; 0 disables the limit
	closed       *atomic.Uint64 // counts the connections that clients closed within the handshake

	begin    sync.Once
	accepted chan accepted
	life     context.Context // until Close
	end      context.CancelFunc
	shakings sync.WaitGroup
}

// accepted has the two results of Accept.
type accepted struct {
	net.Conn
	err error
}

// Listen makes connections of l TLS connections for a server, which must serve them by
// [http.Server.Serve], without a TLSConfig. timeout limits each handshake, as the shortest
// timeout of the server does by [http.Server.ServeTLS]; 0 disables the limit. closed counts the connections that
// clients closed within the handshake.
func Listen(l net.Listener, c *Certificate, timeout time.Duration, closed *atomic.Uint64) *Listener {
	life, end := context.WithCancel(context.Background())
	return &Listener{
		Listener: l, certificate: c, timeout: timeout, closed: closed, accepted: make(chan accepted), life: life, end: end,
	}
}

// Accept returns the next connection after its handshake.
func (l *Listener) Accept() (net.Conn, error) {
	l.begin.Do(func() { go l.accept() })
	select {
	case a := <-l.accepted:
		return a.Conn, a.err
	case <-l.life.Done():
		return nil, net.ErrClosed
	}
}

// Stop stops accepting connections. Accept returns an error once the handshakes in progress
// have ended.
func (l *Listener) Stop() error { return l.Listener.Close() }

// Close also closes the connections with a handshake in progress.
func (l *Listener) Close() error {
	l.end()
	return l.Listener.Close()
}

// accept starts handshakes until the listener below is closed.
func (l *Listener) accept() {
	for {
		c, err := l.Listener.Accept()
		if err == nil {
			l.shakings.Go(func() { l.shake(c) })
			continue
		}
		over := errors.Is(err, net.ErrClosed)
		if over {
			l.shakings.Wait()
		}
		if !l.deliver(accepted{err: err}) || over { // the server waits before it accepts again
			return
		}
	}
}

// shake completes a handshake, and hands the connection over.
func (l *Listener) shake(c net.Conn) {
	stop := context.AfterFunc(l.life, func() { _ = c.Close() })
	defer func() {
		p := recover()
		if p != nil { // as in net/http
			l.certificate.log.Error("a TLS handshake panicked", zap.Any("panic", p), zap.Stack("stack"))
			stop()
			_ = c.Close()
		}
	}()
	raw := &gatherer{Conn: c}
	secured := tls.Server(raw, l.certificate.current())
	if l.timeout > 0 {
		_ = c.SetDeadline(time.Now().Add(l.timeout)) // fails where the handshake does
	}
	err := secured.Handshake()
	_ = c.SetDeadline(time.Time{})
	stop() // from here on the server closes the connection
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		l.closed.Add(1)
		l.certificate.log.Debug("a client closed its connection within the TLS handshake", zap.Stringer("client", c.RemoteAddr()))
		_ = c.Close()
		return
	}
	done := accepted{Conn: secured}
	if err == nil && secured.ConnectionState().NegotiatedProtocol != "h2" {
		done.Conn = &Conn{Conn: secured, gatherer: raw}
	}
	if !l.deliver(done) {
		_ = c.Close()
	}
}

// deliver makes Accept return a, unless the listener is closed.
func (l *Listener) deliver(a accepted) bool {
	select {
	case l.accepted <- a:
		return true
	case <-l.life.Done():
		return false
	}
}
