package upstream

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

// movingPeer is a peer with a server before and one after it moves. Both live on.
type movingPeer struct {
	old, new chan net.Conn  // the connections that each server accepts
	cas      *x509.CertPool // of both servers
	moved    atomic.Bool
	dropped  *atomic.Bool // drops the bytes of the last connection
	dials    atomic.Int32
}

// newMovingPeer starts the servers, which respond with their names.
func newMovingPeer(t *testing.T, http2 bool) *movingPeer {
	p := &movingPeer{old: make(chan net.Conn), new: make(chan net.Conn), cas: x509.NewCertPool()}
	for name, connections := range map[string]chan net.Conn{"old": p.old, "new": p.new} {
		open, end := context.WithCancel(context.Background())
		s := &httptest.Server{Listener: pipes{
			waiting: connections,
			open:    open,
			close:   end,
		}, EnableHTTP2: http2, Config: &http.Server{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for range sizes[r.Method] >> 10 {
					w.Header().Add("Large", strings.Repeat("x", 1<<10))
				}
				_, _ = io.WriteString(w, name)
			}),
		}}
		s.StartTLS()
		t.Cleanup(s.Close)
		p.cas.AddCert(s.Certificate())
	}
	return p
}

func (p *movingPeer) dial(context.Context, string, string) (net.Conn, error) {
	p.dials.Add(1)
	conns := p.old
	if p.moved.Load() {
		conns = p.new
	}
	near, far := net.Pipe()
	conns <- far
	p.dropped = new(atomic.Bool)
	return lossy{Conn: near, dropped: p.dropped}, nil
}

// lossy is a connection that may lose its output.
type lossy struct {
	net.Conn
	dropped *atomic.Bool
}

func (c lossy) Write(b []byte) (int, error) {
	if c.dropped.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// pipes is a listener for connections within the process, which need no time to pass for others.
type pipes struct {
	waiting chan net.Conn
	open    context.Context
	close   context.CancelFunc
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.waiting:
		return c, nil
	case <-p.open.Done():
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error { p.close(); return nil }

func (p pipes) Addr() net.Addr { return new(net.TCPAddr) }

// sizes are the sizes of the header of a response, by the method of the request.
var sizes = map[string]int{http.MethodPut: maxResponseHeader, http.MethodDelete: 2 * maxResponseHeader}

// clients are the clients of this package. Each function makes one call and returns the body.
func (p *movingPeer) clients(t *testing.T) map[string]*client {
	const url = "https://example.com"
	site := New(LegacyName, Options{Access: AccessOptions{CAs: p.cas}, Retries: 1, Breaker: BreakerOptions{Failures: 10}},
		[]Root{{Name: "en", URL: url}}, new(Hosts))
	t.Cleanup(site.Close)
	service := NewService(5*time.Second, 100)
	t.Cleanup(service.Close)
	service.transport.base.TLSClientConfig = AccessOptions{CAs: p.cas}.tls()
	list := map[string]*client{
		"site": {transport: site.roots[0].host.transport, send: func(method string) (Response, error) {
			got, _, err := site.Do(t.Context(), url, Request{Request: mapping.Request{Method: method}})
			return got, err
		}},
		"service": {transport: service.transport, send: func(method string) (Response, error) {
			return service.Send(t.Context(), method, url, nil, nil)
		}},
	}
	for _, c := range list {
		c.transport.base.DialContext = p.dial
	}
	return list
}

type client struct {
	transport *Transport
	send      func(method string) (Response, error)
}

func (c *client) want(t *testing.T, body string) {
	t.Helper()
	if got, err := c.send(http.MethodPost); err != nil || string(got.Body) != body {
		t.Errorf("got %q, %v; want the server %q", got.Body, err, body)
	}
}

// forAll runs a test for both protocols and all clients, on a clock of its own.
func forAll(t *testing.T, test func(*testing.T, *movingPeer, *client)) {
	for _, http2 := range []bool{false, true} {
		for _, name := range []string{"site", "service"} {
			t.Run(fmt.Sprintf("%s http2=%t", name, http2), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := newMovingPeer(t, http2)
					test(t, p, p.clients(t)[name])
				})
			})
		}
	}
}

// TestDeadConnection: after a connection has died without a word, one call fails, and the next has a
// connection of its own.
func TestDeadConnection(t *testing.T) {
	forAll(t, func(t *testing.T, p *movingPeer, c *client) {
		c.want(t, "old")
		p.dropped.Store(true)
		if _, err := c.send(http.MethodPost); err == nil {
			t.Error("a call over the dead connection has a response")
		}
		c.want(t, "old")
		if got := p.dials.Load(); got != 2 {
			t.Errorf("%d connections, want 2", got)
		}
	})
}

// TestConnectionAge: a peer that has moved is called at its new address after a minute, or after a
// reload, although the old server still responds and its connection is never idle.
func TestConnectionAge(t *testing.T) {
	forAll(t, func(t *testing.T, p *movingPeer, c *client) {
		c.want(t, "old")
		p.moved.Store(true)
		for range 6 {
			c.want(t, "old")
			time.Sleep(maxConnectionAge / 6)
		}
		time.Sleep(time.Nanosecond)
		c.want(t, "new")
		p.moved.Store(false)
		c.want(t, "new")
		c.transport.CloseIdleConnections()
		c.want(t, "old")
		if got := p.dials.Load(); got != 3 {
			t.Errorf("%d connections, want 3", got)
		}
	})
}

// TestLargeHeader: the header of a response is bounded.
func TestLargeHeader(t *testing.T) {
	forAll(t, func(t *testing.T, _ *movingPeer, c *client) {
		for method := range sizes {
			if _, err := c.send(method); !errors.Is(err, errProtocol) {
				t.Errorf("a large header: %v", err)
			}
		}
		c.want(t, "old")
	})
}

// TestDeadConnectionIsRepeated: reads that wait for a dead connection are repeated on another, and open no
// circuit breaker, however many they are.
func TestDeadConnectionIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMovingPeer(t, true)
		site := p.clients(t)["site"]
		site.want(t, "old")
		p.dropped.Store(true)
		var reads sync.WaitGroup
		for range 10 {
			reads.Go(func() {
				if got, err := site.send(http.MethodGet); string(got.Body) != "old" {
					t.Errorf("a read: %q, %v", got.Body, err)
				}
			})
		}
		reads.Wait()
	})
}
