package secure

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"
)

// Listener accepts connections whose handshake has ended: with HTTP/1, as a [Conn]; with
// HTTP/2 or a failure, as a *tls.Conn: net/http serves the former and reports the
// latter.
//
// Each handshake has a goroutine and its time, so that slow ones delay no others.
type Listener struct {
	below       net.Listener
	certificate *Certificate
	timeout     time.Duration // of a handshake; 0: none

	begin  sync.Once
	ready  chan net.Conn
	errors chan error // of accepting
	closed chan struct{}

	mu       sync.Mutex
	ended    bool
	shaking  map[net.Conn]struct{} // connections with a handshake in progress
	shakings sync.WaitGroup
}

// Listen makes connections of l TLS connections for a server, whose timeouts bound the
// handshakes as they do by [http.Server.ServeTLS]. The server must serve them by
// [http.Server.Serve], without a TLSConfig.
func Listen(l net.Listener, c *Certificate, s *http.Server) *Listener {
	return &Listener{
		below: l, certificate: c, timeout: handshakeTimeout(s),
		ready: make(chan net.Conn), errors: make(chan error), closed: make(chan struct{}),
		shaking: map[net.Conn]struct{}{},
	}
}

// handshakeTimeout returns the time of a handshake, as net/http derives it; 0 for none.
func handshakeTimeout(s *http.Server) (shortest time.Duration) {
	for _, d := range []time.Duration{s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout} {
		if d > 0 && (shortest == 0 || d < shortest) {
			shortest = d
		}
	}
	return shortest
}

// Addr implements [net.Listener].
func (l *Listener) Addr() net.Addr { return l.below.Addr() }

// Accept returns the next connection whose handshake has ended.
func (l *Listener) Accept() (net.Conn, error) {
	l.begin.Do(func() { go l.accept() })
	select {
	case c := <-l.ready:
		return c, nil
	case err := <-l.errors:
		return nil, err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Stop stops accepting connections. Accept returns an error once the handshakes in progress
// have ended.
func (l *Listener) Stop() error { return l.below.Close() }

// Close also closes the connections with a handshake in progress.
func (l *Listener) Close() error {
	l.mu.Lock()
	if !l.ended {
		l.ended = true
		close(l.closed)
	}
	for c := range l.shaking {
		_ = c.Close()
	}
	l.mu.Unlock()
	return l.below.Close()
}

// accept starts handshakes until the listener below is closed.
func (l *Listener) accept() {
	for {
		c, err := l.below.Accept()
		if err == nil {
			l.start(c)
			continue
		}
		over := errors.Is(err, net.ErrClosed)
		if over {
			l.shakings.Wait()
		}
		select {
		case l.errors <- err: // the server waits before it accepts again
		case <-l.closed:
			return
		}
		if over {
			return
		}
	}
}

func (l *Listener) start(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		_ = c.Close()
		return
	}
	l.shaking[c] = struct{}{}
	l.shakings.Go(func() { l.shake(c) })
}

// shake completes a handshake, and hands the connection over.
func (l *Listener) shake(c net.Conn) {
	defer func() {
		if p := recover(); p != nil { // as net/http recovers it
			l.certificate.log.Error("a TLS handshake panicked", zap.Any("panic", p), zap.Stack("stack"))
			l.done(c)
			_ = c.Close()
		}
	}()
	below := newGatherer(c)
	secured := tls.Server(below, l.certificate.current())
	if l.timeout > 0 {
		_ = c.SetDeadline(time.Now().Add(l.timeout)) // fails where the handshake does
	}
	err := secured.Handshake()
	if l.timeout > 0 {
		_ = c.SetDeadline(time.Time{})
	}
	l.done(c)
	var accepted net.Conn = secured
	if err == nil && secured.ConnectionState().NegotiatedProtocol != "h2" {
		accepted = &Conn{Conn: secured, below: below}
	}
	select {
	case l.ready <- accepted:
	case <-l.closed:
		_ = c.Close()
	}
}

func (l *Listener) done(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.shaking, c)
}
