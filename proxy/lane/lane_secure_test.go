package lane_test

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/google/go-cmp/cmp"
)

// TestLaneIsLikeServeTLS plays the same clients to a server with the lane over TLS, and to
// [http.Server.ServeTLS]. Each piece is a record.
func TestLaneIsLikeServeTLS(t *testing.T) {
	t.Parallel()
	change := func(o *proxy.Options, _ *http.Server) {
		o.Edge.HSTS = time.Hour
		o.Edge.Trust.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
	site := facadetest.NewLaneSite(t)
	fast := facadetest.NewLaneSide(t, site, true, change)
	reference := facadetest.NewLaneSide(t, site, false, change)
	fast.ListenTLS()
	l := reference.Listen()
	files := reference.Certificate()
	plain := &http.Server{
		Handler:        reference.Server.Handler,
		MaxHeaderBytes: reference.Server.MaxHeaderBytes,
		ErrorLog:       reference.Server.ErrorLog,
	}
	go func() { _ = plain.ServeTLS(l, files[0], files[1]) }()
	t.Cleanup(func() { _ = plain.Close() })
	var sample []facadetest.Conversation
	for i, c := range conversations(t)[:1500] { // all of these end
		if i%6 == 0 {
			sample = append(sample, c)
		}
	}
	sides := []*facadetest.LaneSide{fast, reference}
	counts := [2]map[string]int{fast.Counts(), reference.Counts()}
	var got [2][]string
	var players sync.WaitGroup
	for i, s := range sides {
		player := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"},
			ClientSessionCache: tls.NewLRUClientSessionCache(1)}
		players.Go(func() {
			for _, c := range sample {
				got[i] = append(got[i], playTLS(t, s.Address, player, c))
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
	served := reference.Handled.Load() - fast.Handled.Load()
	t.Logf("%d conversations, %d requests, %d in the lane", len(sample), reference.Handled.Load(), served)
	if int(served) < 70*len(sample)/100 {
		t.Errorf("%d of the requests of %d conversations were the lane's", served, len(sample))
	}
	if diff := cmp.Diff(reference.CountsSince(counts[1]), fast.CountsSince(counts[0])); diff != "" {
		t.Errorf("counts (-without +with):\n%s", diff)
	}
	if diff := cmp.Diff(reference.Records(), fast.Records()); diff != "" {
		t.Errorf("records (-without +with):\n%.3000s", diff)
	}
}

// playTLS sends a conversation on a new connection, and returns all responses.
func playTLS(t *testing.T, address string, config *tls.Config, pieces facadetest.Conversation) string {
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
	return facadetest.Mask(string(got))
}

// TestLaneCloseNotify: the end of a TLS client's data ends the call of its request, but
// no response that is certain.
func TestLaneCloseNotify(t *testing.T) {
	for name, inLane := range map[string]bool{"with": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), inLane, nil)
			s.ListenTLS()
			c := s.Dial()
			c.Get(facadetest.Long)
			c.Say(held)
			<-s.Held
			_ = c.CloseWrite()
			<-s.Disconnected
			c = s.Dial()
			c.Say(facadetest.Get + facadetest.Get)
			_ = c.CloseWrite()
			for range 2 {
				if _, body := c.Receive(); len(body) < 5000 {
					t.Errorf("%d bytes", len(body))
				}
			}
			if excess := c.Ended(); excess != "" {
				t.Errorf("it went on with %q", excess)
			}
		})
	}
}

// TestLaneOneWrite: a response over TLS is one system call, whoever makes it.
func TestLaneOneWrite(t *testing.T) {
	for name, inLane := range map[string]bool{"lane": true, "net/http": false} {
		t.Run(name, func(t *testing.T) {
			s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), inLane, nil)
			s.Secure = true
			writes := &countedWrites{Listener: s.Listen()}
			l := lane.Cork(s.Secured(writes), s.Lane)
			go func() { _ = s.Server.Serve(l) }()
			c := s.Dial()
			for _, target := range append([]string{facadetest.LongTarget}, facadetest.LaneTargets...) {
				n := writes.count()
				c.Get(target)
				if n := writes.count() - n; n != 1 && target != facadetest.LongTarget {
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
