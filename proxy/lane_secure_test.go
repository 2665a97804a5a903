package proxy_test

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/secure"
)

// listenTLS makes the dialed connections use TLS.
func (s *laneSide) listenTLS() {
	s.secure = true
	l := lane.Cork(s.secured(s.listen()), s.lane)
	go func() { _ = s.server.Serve(l) }()
}

// secured makes the connections of l TLS connections, if these are dialed. The
// timeouts of tests do not apply to the handshake.
func (s *laneSide) secured(l net.Listener) net.Listener {
	if !s.secure {
		return l
	}
	files := s.certificate()
	certificate, err := secure.Open(files[0], files[1], zap.NewNop())
	if err != nil {
		s.t.Fatal(err)
	}
	return secure.Listen(l, certificate, 0, new(atomic.Uint64))
}

func (s *laneSide) certificate() (files [2]string) {
	dir := s.t.TempDir()
	files = [2]string{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	if err := proxytest.WriteCertificate(files[0], files[1], 1, time.Now().Add(time.Hour)); err != nil {
		s.t.Fatal(err)
	}
	return files
}

// TestLaneIsLikeServeTLS plays the same clients to a server with the lane over TLS, and to
// [http.Server.ServeTLS]. Each piece is a record.
func TestLaneIsLikeServeTLS(t *testing.T) {
	t.Parallel()
	change := func(o *proxy.Options, _ *http.Server) {
		o.Edge.HSTS = time.Hour
		o.Edge.Trust.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
	site := newLaneSite(t)
	fast := newLaneSide(t, site, true, change)
	reference := newLaneSide(t, site, false, change)
	fast.listenTLS()
	l := reference.listen()
	files := reference.certificate()
	plain := &http.Server{
		Handler:        reference.server.Handler,
		MaxHeaderBytes: reference.server.MaxHeaderBytes,
		ErrorLog:       reference.server.ErrorLog,
	}
	go func() { _ = plain.ServeTLS(l, files[0], files[1]) }()
	t.Cleanup(func() { _ = plain.Close() })
	var sample []conversation
	for i, c := range conversations(t)[:1500] { // all of these end
		if i%6 == 0 {
			sample = append(sample, c)
		}
	}
	sides := []*laneSide{fast, reference}
	counts := [2]map[string]int{fast.counts(), reference.counts()}
	var got [2][]string
	var players sync.WaitGroup
	for i, s := range sides {
		player := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"},
			ClientSessionCache: tls.NewLRUClientSessionCache(1)}
		players.Go(func() {
			for _, c := range sample {
				got[i] = append(got[i], playTLS(t, s.address, player, c))
			}
		})
	}
	players.Wait()
	for i, c := range sample {
		if got[0][i] != got[1][i] {
			t.Fatalf("to %.2000q\n   with: %.3000q\nwithout: %.3000q", []string(c), got[0][i], got[1][i])
		}
	}
	if joined := strings.Join(got[0], ""); !strings.Contains(joined, "Strict-Transport-Security: max-age=3600\r\n") {
		t.Error("no response has Strict-Transport-Security")
	}
	served := reference.handled.Load() - fast.handled.Load()
	t.Logf("%d conversations, %d requests, %d in the lane", len(sample), reference.handled.Load(), served)
	if int(served) < 70*len(sample)/100 {
		t.Errorf("%d of the requests of %d conversations were the lane's", served, len(sample))
	}
	if diff := cmp.Diff(reference.countsSince(counts[1]), fast.countsSince(counts[0])); diff != "" {
		t.Errorf("counts (-without +with):\n%s", diff)
	}
	if diff := cmp.Diff(reference.records(), fast.records()); diff != "" {
		t.Errorf("records (-without +with):\n%.3000s", diff)
	}
}

// playTLS sends a conversation on a new connection, and returns all responses.
func playTLS(t *testing.T, address string, config *tls.Config, pieces conversation) string {
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute)) // a test that fails ends
	player := tls.Client(c, config)
	go func() {
		for _, p := range pieces {
			_, _ = io.WriteString(player, p)
		}
	}()
	got, err := io.ReadAll(player)
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		t.Errorf("the connection stays open after %.500q", pieces)
	}
	return mask(string(got))
}

// TestLaneCloseNotify: the end of a TLS client's data ends the call of its request, but
// no response that is certain.
func TestLaneCloseNotify(t *testing.T) {
	for name, inLane := range map[string]bool{"with": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			s := newLaneSide(t, newLaneSite(t), inLane, nil)
			s.listenTLS()
			c := s.dial()
			c.get(long)
			c.say(held)
			<-s.held
			_ = c.CloseWrite()
			<-s.disconnected
			c = s.dial()
			c.say(get + get)
			_ = c.CloseWrite()
			for range 2 {
				if _, body := c.receive(); len(body) < 5000 {
					t.Errorf("%d bytes", len(body))
				}
			}
			if excess := c.ended(); excess != "" {
				t.Errorf("it went on with %q", excess)
			}
		})
	}
}

// TestLaneOneWrite: a response over TLS is one system call, whoever makes it.
func TestLaneOneWrite(t *testing.T) {
	for name, inLane := range map[string]bool{"lane": true, "net/http": false} {
		t.Run(name, func(t *testing.T) {
			s := newLaneSide(t, newLaneSite(t), inLane, nil)
			s.secure = true
			writes := &countedWrites{Listener: s.listen()}
			l := lane.Cork(s.secured(writes), s.lane)
			go func() { _ = s.server.Serve(l) }()
			c := s.dial()
			for _, target := range append([]string{longTarget}, laneTargets...) {
				n := writes.count()
				c.get(target)
				if n := writes.count() - n; n != 1 && target != longTarget {
					t.Errorf("%s: %d writes", target, n)
				}
			}
		})
	}
}

// countedWrites counts the writes to all connections.
type countedWrites struct {
	net.Listener
	mu sync.Mutex
	n  int
}

func (l *countedWrites) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

func (l *countedWrites) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &writtenConn{Conn: c, counter: l}, err
}

type writtenConn struct {
	net.Conn
	counter *countedWrites
}

func (c *writtenConn) Write(p []byte) (int, error) {
	c.counter.mu.Lock()
	c.counter.n++
	c.counter.mu.Unlock()
	return c.Conn.Write(p)
}
