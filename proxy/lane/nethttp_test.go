package lane

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// watched is a server's connection that records what net/http does with it.
type watched struct {
	net.Conn
	mu     sync.Mutex
	events []string

	handler, reading chan struct{} // closed when the handler runs, and when net/http reads during it
}

func (c *watched) record(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, fmt.Sprintf(format, args...))
}

func (c *watched) recorded() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.events
}

func (c *watched) Read(p []byte) (int, error) {
	if len(p) == 1 {
		<-c.handler
		c.record("read at most 1")
		close(c.reading)
		return c.Conn.Read(p)
	}
	c.record("read at most %d", len(p))
	return c.Conn.Read(p)
}

func (c *watched) Write(p []byte) (int, error) {
	c.record("write %d", len(p))
	return c.Conn.Write(p)
}

func (c *watched) SetReadDeadline(t time.Time) error {
	switch remaining := time.Until(t); {
	case t.IsZero():
		c.record("no read deadline")
	case remaining < 0:
		c.record("read deadline in the past")
	default:
		c.record("read deadline in %s", remaining.Round(time.Hour))
	}
	return c.Conn.SetReadDeadline(t)
}

// oneListener accepts one connection.
type oneListener struct {
	conn   chan net.Conn
	closed chan struct{}
}

func (l oneListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l oneListener) Close() error   { close(l.closed); return nil }
func (l oneListener) Addr() net.Addr { return &net.TCPAddr{} }

// TestNetHTTP checks how net/http uses a connection, as far as this package relies on it.
func TestNetHTTP(t *testing.T) {
	client, conn := net.Pipe()
	c := &watched{Conn: conn, handler: make(chan struct{}), reading: make(chan struct{})}
	l := oneListener{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
	l.conn <- c
	idle := make(chan struct{})
	closed := make(chan struct{})
	s := &http.Server{
		ReadHeaderTimeout: time.Hour, ReadTimeout: 2 * time.Hour, IdleTimeout: 3 * time.Hour,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			c.record("handler")
			close(c.handler)
			<-c.reading
			w.Header()["Content-Length"] = []string{"10000"}
			_, _ = w.Write(make([]byte, 10_000))
		}),
		ConnState: func(_ net.Conn, state http.ConnState) {
			c.record("%s", state)
			switch state {
			case http.StateIdle:
				close(idle)
			case http.StateClosed:
				close(closed)
			}
		},
	}
	go func() { _ = s.Serve(l) }()
	defer s.Close()
	if _, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	header, _ := io.ReadAll(io.LimitReader(client, bufferSize))
	length := strings.Index(string(header), "\r\n\r\n") + 4
	if _, err := io.CopyN(io.Discard, client, int64(length+10_000-len(header))); err != nil {
		t.Fatal(err)
	}
	<-idle
	if _, err := io.WriteString(client, strings.Repeat("G", minHead-1)); err != nil {
		t.Fatal(err)
	}
	client.Close()
	<-closed
	want := []string{
		"new", "read deadline in 1h0m0s", fmt.Sprint("read at most ", readBuffer), "read deadline in 2h0m0s", "active",
		"no read deadline", "handler", "read at most 1",
		fmt.Sprint("write ", bufferSize), fmt.Sprint("write ", length+10_000-bufferSize),
		"read deadline in the past", "no read deadline", "idle",
		"read deadline in 3h0m0s", fmt.Sprint("read at most ", readBuffer), fmt.Sprint("read at most ", readBuffer-minHead+1),
		"closed",
	}
	if diff := cmp.Diff(want, c.recorded()); diff != "" {
		t.Errorf("net/http (-want +got):\n%s", diff)
	}
}
