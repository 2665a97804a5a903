package secure

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/calfacade/calfacade/proxy/proxytest"
)

// side is a server that is under test.
type side struct {
	t        *testing.T
	server   *http.Server
	listener *Listener
	address  string
	files    [2]string
	served   chan error
	closed   atomic.Uint64
}

// serve responds with properties of a request: its protocol, and whether it has a TLS state.
func serve(t *testing.T, change func(*http.Server)) *side {
	t.Helper()
	return serveLogged(t, zap.NewNop(), change)
}

// serveLogged is serve with a log.
func serveLogged(t *testing.T, log *zap.Logger, change func(*http.Server)) *side {
	t.Helper()
	dir := t.TempDir()
	s := &side{t: t, files: [2]string{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}, served: make(chan error, 1)}
	s.replace(1)
	certificate, err := Open(s.files[0], s.files[1], log)
	if err != nil {
		t.Fatal(err)
	}
	s.server = &http.Server{
		ErrorLog: stdlog.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header()["State"] = []string{tls.VersionName(r.TLS.Version) + " " + r.TLS.NegotiatedProtocol}
			_, _ = io.WriteString(w, r.Proto)
		}),
	}
	if change != nil {
		change(s.server)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.listener = Listen(l, certificate, s.server.ReadHeaderTimeout, &s.closed)
	s.address = l.Addr().String()
	go func() { s.served <- s.server.Serve(s.listener) }()
	t.Cleanup(func() { _ = s.server.Close() })
	return s
}

func (s *side) replace(serial int64) {
	if err := proxytest.WriteCertificate(s.files[0], s.files[1], serial, time.Now().Add(time.Hour)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *side) dial() net.Conn {
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute)) // a test that fails ends
	return c
}

// get sends a request on a new connection.
func (s *side) get(c *tls.Config) (*http.Response, string) {
	s.t.Helper()
	c.InsecureSkipVerify = true
	transport := &http.Transport{TLSClientConfig: c, ForceAttemptHTTP2: len(c.NextProtos) == 0, DisableKeepAlives: true}
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, "https://"+s.address, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	res, err := transport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res, string(body)
}

// lines is a log; a test receives its records.
type lines chan string

// Write implements [io.Writer].
func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// TestTCPChecks: a client that connects and closes, as load balancers check a port, is a record at debug level and
// is counted. A handshake that fails is a fault that net/http reports.
func TestTCPChecks(t *testing.T) {
	logged := make(lines)
	debug := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zapcore.EncoderConfig{MessageKey: "m", LevelKey: "l",
		EncodeLevel: zapcore.LowercaseLevelEncoder}), zapcore.AddSync(logged), zap.DebugLevel))
	s := serveLogged(t, debug, func(s *http.Server) { s.ErrorLog = stdlog.New(logged, "", 0) })
	for name, end := range map[string]func(c *net.TCPConn) error{
		"closed":      func(*net.TCPConn) error { return nil },
		"half-closed": (*net.TCPConn).CloseWrite,
		"reset":       func(c *net.TCPConn) error { return c.SetLinger(0) },
	} {
		c := s.dial().(*net.TCPConn)
		if err := errors.Join(end(c), c.Close()); err != nil {
			t.Fatal(err)
		}
		if got := <-logged; !strings.HasPrefix(got, `{"l":"debug","m":"a client closed its connection within the TLS handshake"`) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if n := s.closed.Load(); n != 3 {
		t.Errorf("%d connections were counted", n)
	}
	if _, err := s.dial().Write([]byte("SSH-2.0-x\r\n")); err != nil {
		t.Fatal(err)
	}
	if got := <-logged; !strings.Contains(got, "http: TLS handshake error") {
		t.Errorf("no TLS: %s", got)
	}
}

func TestProtocols(t *testing.T) {
	s := serve(t, nil)
	for _, test := range []struct {
		config      *tls.Config
		body, state string
	}{
		{&tls.Config{}, "HTTP/2.0", "TLS 1.3 h2"},
		{&tls.Config{NextProtos: []string{"http/1.1"}}, "HTTP/1.1", "TLS 1.3 http/1.1"},
		{&tls.Config{NextProtos: []string{"http/1.1"}, MaxVersion: tls.VersionTLS12}, "HTTP/1.1", "TLS 1.2 http/1.1"},
		{&tls.Config{MaxVersion: tls.VersionTLS12}, "HTTP/2.0", "TLS 1.2 h2"},
	} {
		res, body := s.get(test.config)
		got := res.Header.Get("State")
		if body != test.body || got != test.state {
			t.Errorf("got %s by %s, want %s by %s", body, got, test.body, test.state)
		}
	}
}

// TestPlainHTTP: a client that does not use TLS gets the 400 of net/http.
func TestPlainHTTP(t *testing.T) {
	c := serve(t, nil).dial()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	got, err := io.ReadAll(c)
	if want := "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"; string(got) != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestSlowHandshakes: clients that do not speak delay no others, and have the time that
// net/http gives them.
func TestSlowHandshakes(t *testing.T) {
	t.Parallel()
	s := serve(t, func(s *http.Server) { s.ReadHeaderTimeout = 3 * time.Second })
	var slow []net.Conn
	for range 50 {
		slow = append(slow, s.dial())
	}
	for range 3 {
		if _, body := s.get(&tls.Config{}); body != "HTTP/2.0" {
			t.Error(body)
		}
	}
	for _, c := range slow {
		if excess, err := io.ReadAll(c); len(excess) > 0 || err != nil {
			t.Errorf("got %q, %v", excess, err)
		}
	}
}

// begin begins a handshake, which goes on when resume is called.
func (s *side) begin() (c *tls.Conn, resume func()) {
	s.t.Helper()
	gate := &gated{Conn: s.dial(), reached: make(chan struct{}), open: make(chan struct{})}
	c = tls.Client(gate, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	go func() { _ = c.Handshake() }()
	<-gate.reached // the server has answered
	return c, func() { close(gate.open) }
}

// gated is a connection; its second write waits.
type gated struct {
	net.Conn
	writes        int
	reached, open chan struct{}
}

func (c *gated) Write(p []byte) (int, error) {
	c.writes++
	if c.writes == 2 {
		close(c.reached)
		<-c.open
	}
	return c.Conn.Write(p)
}

// TestStop: handshakes in progress are completed, and their connections served.
func TestStop(t *testing.T) {
	s := serve(t, nil)
	c, resume := s.begin()
	_ = s.listener.Stop()
	resume()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if err := <-s.served; !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// TestClose: handshakes in progress are aborted.
func TestClose(t *testing.T) {
	s := serve(t, nil)
	c, resume := s.begin()
	_ = s.listener.Close()
	if err := <-s.served; !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v", err)
	}
	resume()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the handshake was completed")
	}
	if err := s.server.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestTickets: sessions are resumed, but not with a certificate that has been replaced.
func TestTickets(t *testing.T) {
	s := serve(t, nil)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		client := tls.Config{ClientSessionCache: tls.NewLRUClientSessionCache(10), MaxVersion: version, NextProtos: []string{"http/1.1"}}
		for _, test := range []struct {
			replace bool
			resumed bool
		}{{false, false}, {false, true}, {false, true}, {true, false}, {false, true}} {
			serial := int64(version)
			if test.replace {
				s.replace(serial)
			}
			res, _ := s.get(&client)
			if got := res.TLS.DidResume; got != test.resumed {
				t.Errorf("%s: resumed: %v", tls.VersionName(version), got)
			}
			got := res.TLS.PeerCertificates[0].SerialNumber.Int64()
			if test.replace && got != serial {
				t.Errorf("%s: the certificate before, %d", tls.VersionName(version), got)
			}
		}
	}
}

// TestErrorsOfAccept reach the server, which may go on.
func TestErrorsOfAccept(t *testing.T) {
	temporary := errors.New("too many open files")
	l := Listen(&failing{errs: []error{temporary, temporary, net.ErrClosed}}, nil, 0, nil)
	for _, want := range []error{temporary, temporary, net.ErrClosed} {
		if _, err := l.Accept(); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	_ = l.Close()
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) || !strings.Contains(err.Error(), "closed") {
		t.Errorf("got %v", err)
	}
}

type failing struct{ errs []error }

func (l *failing) Accept() (net.Conn, error) {
	err := l.errs[0]
	l.errs = l.errs[1:]
	return nil, err
}

func (l *failing) Close() error   { return nil }
func (l *failing) Addr() net.Addr { return &net.TCPAddr{} }
