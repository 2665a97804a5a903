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
	with := newLaneSide(t, site, true, change)
	without := newLaneSide(t, site, false, change)
	with.listenTLS()
	l := without.listen()
	files := without.certificate()
	plain := &http.Server{Handler: without.server.Handler, MaxHeaderBytes: without.server.MaxHeaderBytes, ErrorLog: without.server.ErrorLog}
	go func() { _ = plain.ServeTLS(l, files[0], files[1]) }()
	t.Cleanup(func() { _ = plain.Close() })
	var some []conversation
	for i, c := range conversations(t)[:1500] { // all of these end
		if i%6 == 0 {
			some = append(some, c)
		}
	}
	sides := []*laneSide{with, without}
	before := [2]map[string]int{with.counts(), without.counts()}
	var got [2][]string
	var players sync.WaitGroup
	for i, s := range sides {
		player := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"},
			ClientSessionCache: tls.NewLRUClientSessionCache(1)}
		players.Go(func() {
			for _, c := range some {
				got[i] = append(got[i], playTLS(t, s.address, player, c))
			}
		})
	}
	players.Wait()
	for i, c := range some {
		if got[0][i] != got[1][i] {
			t.Fatalf("to %.2000q\n   with: %.3000q\nwithout: %.3000q", []string(c), got[0][i], got[1][i])
		}
	}
	if all := strings.Join(got[0], ""); !strings.Contains(all, "Strict-Transport-Security: max-age=3600\r\n") {
		t.Error("no response has Strict-Transport-Security")
	}
	taken := without.handled.Load() - with.handled.Load()
	t.Logf("%d conversations, %d requests, %d in the lane", len(some), without.handled.Load(), taken)
	if int(taken) < 70*len(some)/100 {
		t.Errorf("%d of the requests of %d conversations were the lane's", taken, len(some))
	}
	if diff := cmp.Diff(without.countsSince(before[1]), with.countsSince(before[0])); diff != "" {
		t.Errorf("counts (-without +with):\n%s", diff)
	}
	if diff := cmp.Diff(without.records(), with.records()); diff != "" {
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
			<-s.gone
			c = s.dial()
			c.say(get + get)
			_ = c.CloseWrite()
			for range 2 {
				if _, body := c.receive(); len(body) < 5000 {
					t.Errorf("%d bytes", len(body))
				}
			}
			if rest := c.ended(); rest != "" {
				t.Errorf("it went on with %q", rest)
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
			written := &countedWrites{Listener: s.listen()}
			l := lane.Cork(s.secured(written), s.lane)
			go func() { _ = s.server.Serve(l) }()
			c := s.dial()
			for _, target := range append([]string{longTarget}, laneTargets...) {
				before := written.count()
				c.get(target)
				if n := written.count() - before; n != 1 && target != longTarget {
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
	return &writtenConn{Conn: c, to: l}, err
}

type writtenConn struct {
	net.Conn
	to *countedWrites
}

func (c *writtenConn) Write(p []byte) (int, error) {
	c.to.mu.Lock()
	c.to.n++
	c.to.mu.Unlock()
	return c.Conn.Write(p)
}
