package lane

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/proxy/edge"
)

// TestCorkHolds: the beginning of a response is held until the rest is written. A complete one is
// sent at once.
func TestCorkHolds(t *testing.T) {
	var writes pieces
	c := &conn{halfCloser: &writes}
	write := func(s string) {
		if n, err := c.Write([]byte(s)); n != len(s) || err != nil {
			t.Errorf("Write(%q) = %d, %v", s, n, err)
		}
	}
	c.due = 10
	write("12345")
	writes.want(t, "")
	write("67890")
	writes.want(t, "1234567890")
	write("not held")
	writes.want(t, "1234567890|not held")
	c.due = 5
	write("whole")
	write("next")
	writes.want(t, "1234567890|not held|whole|next")
}

func TestCorkReportsErrors(t *testing.T) {
	writes := pieces{fail: true}
	c := &conn{halfCloser: &writes, due: 4}
	if n, err := c.Write([]byte("he")); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := c.Write([]byte("ad")); n != 0 || err == nil {
		t.Errorf("Write = %d, %v", n, err)
	}
}

// pieces is a connection that records the bytes written.
type pieces struct {
	halfCloser
	list []string
	fail bool
}

func (p *pieces) Write(b []byte) (int, error) {
	if p.fail {
		return 0, io.ErrClosedPipe
	}
	p.list = append(p.list, string(b))
	return len(b), nil
}

func (p *pieces) WriteBoth(first, second []byte) (int, error) {
	return p.Write(append(bytes.Clone(first), second...))
}

func (p *pieces) want(t *testing.T, text string) {
	t.Helper()
	if got := strings.Join(p.list, "|"); got != text {
		t.Errorf("sent %q, want %q", got, text)
	}
}

// TestCorkReachesTheConnection: a limited connection is written to in one system call too.
// Write finds the method WriteBoth by an interface, which no compiler checks.
func TestCorkReachesTheConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	c, err := Cork(edge.LimitConnections(l, edge.ConnectionLimits{All: 1}), nil).Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, ok := c.(*conn).halfCloser.(bothWriter); !ok {
		t.Errorf("a %T writes each piece", c.(*conn).halfCloser)
	}
	for _, accepted := range []net.Conn{c, secureConn{conn: c.(*conn)}} {
		if ConnContext(t.Context(), accepted).Value(connKey{}) != c {
			t.Errorf("the context of a %T has no connection for Hold", accepted)
		}
	}
}

// TestCorkPreservesBytes sends responses of about the sizes of net/http's buffers
// over one connection, with pipelined requests.
func TestCorkPreservesBytes(t *testing.T) {
	s := newCorked(serveSize)
	defer s.Close()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var sizes []int
	for n := range 10_000 {
		if n < 3 || n%97 == 0 || n > 3800 && n < 4200 {
			sizes = append(sizes, n)
		}
	}
	sizes = append(sizes, 100_000, 3, 1_000_000)
	go func() {
		for _, n := range sizes {
			_, _ = fmt.Fprintf(c, "GET /%d HTTP/1.1\r\nHost: x\r\n\r\n", n)
		}
	}()
	r := bufio.NewReader(c)
	for _, n := range sizes {
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(n, err)
		}
		got, err := io.ReadAll(res.Body)
		if err != nil || !bytes.Equal(got, bodyOf(n)) {
			t.Fatalf("%d bytes: %d arrived, %v", n, len(got), err)
		}
	}
}

func bodyOf(n int) []byte { return bytes.Repeat([]byte("0123456789abcdef"), n/16+1)[:n] }

// serveSize responds to /n with n bytes, held.
func serveSize(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Path[1:])
	if err != nil {
		panic(err)
	}
	respond(w, r, bodyOf(n))
}

func respond(w http.ResponseWriter, r *http.Request, body []byte) {
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	Hold(r, w.Header(), len(body))
	_, _ = w.Write(body)
}

func newCorked(h http.HandlerFunc) *httptest.Server {
	return newServer(h, func(l net.Listener) net.Listener { return Cork(l, nil) })
}

func newServer(h http.HandlerFunc, listen func(net.Listener) net.Listener) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.Listener = listen(s.Listener)
	s.Config.ConnContext = ConnContext
	s.Start()
	return s
}

// BenchmarkCork compares responses in one system call with those in two.
func BenchmarkCork(b *testing.B) {
	for _, size := range []int{4640, 41933} {
		body := bodyOf(size)
		h := func(w http.ResponseWriter, r *http.Request) {
			respond(w, r, body)
		}
		b.Run(fmt.Sprintf("%d/corked", size), func(b *testing.B) { benchRequests(b, newCorked(h)) })
		b.Run(fmt.Sprintf("%d/plain", size), func(b *testing.B) {
			benchRequests(b, newServer(h, func(l net.Listener) net.Listener { return l }))
		})
	}
}

func benchRequests(b *testing.B, s *httptest.Server) {
	defer s.Close()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	r := bufio.NewReaderSize(c, 64<<10)
	for b.Loop() {
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
	}
}
