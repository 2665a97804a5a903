package facadetest

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/secure"
	"go.uber.org/zap"
)

// LaneClient is one connection.
type LaneClient struct {
	net.Conn // TCP, or TLS
	TCP      *net.TCPConn
	t        testing.TB
	Reader   *bufio.Reader
}

func (s *LaneSide) Dial() *LaneClient {
	s.T.Helper()
	c, err := net.Dial("tcp", s.Address)
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute)) // a test that fails ends
	tcp := c.(*net.TCPConn)
	if s.Secure {
		c = tls.Client(c, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
		if err := c.(*tls.Conn).HandshakeContext(s.T.Context()); err != nil {
			s.T.Fatal(err)
		}
	}
	return &LaneClient{Conn: c, TCP: tcp, t: s.T, Reader: bufio.NewReader(c)}
}

// CloseWrite ends the request of the client.
func (c *LaneClient) CloseWrite() error {
	return c.Conn.(interface{ CloseWrite() error }).CloseWrite()
}

func (c *LaneClient) Say(text string) {
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Error(err)
	}
}

// Receive returns the next response, whole.
func (c *LaneClient) Receive() (*http.Response, string) {
	c.t.Helper()
	res, err := http.ReadResponse(c.Reader, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res, string(body)
}

func (c *LaneClient) Get(target string, fields ...string) (*http.Response, string) {
	c.t.Helper()
	c.Say("GET " + target + " HTTP/1.1\r\nHost: x\r\n" + strings.Join(append(fields, "\r\n"), "\r\n"))
	return c.Receive()
}

// Ended waits until the server closes the connection, and returns the bytes that the server sent.
func (c *LaneClient) Ended() string {
	c.t.Helper()
	excess, err := io.ReadAll(c.Reader)
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		c.t.Fatal("the connection stays open")
	}
	return string(excess)
}

// Leaving is a field with which a request leaves the lane, and comes back to it.
const Leaving = "X-Calfacade-Tester: given"

// Long is a target whose answer is of 8 KB, get asks for it, leaves so that it does,
// and flood for far more than the system holds, in one piece: in the lane, all of it.
var (
	Long   = LaneTargets[1]
	Get    = "GET " + Long + " HTTP/1.1\r\nHost: x\r\n\r\n"
	Leaves = "GET " + Long + " HTTP/1.1\r\nHost: x\r\n" + Leaving + "\r\n\r\n"
	Flood  = strings.Repeat("GET "+LongTarget+" HTTP/1.1\r\nHost: x\r\n\r\n", Flooded)
)

const Flooded = 12

// listening counts the bytes read from clients.
type listening struct {
	net.Listener
	heard *atomic.Int64
}

func (l listening) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return listeningConn{halfCloser: c.(halfCloser), heard: l.heard}, nil
}

type halfCloser interface {
	net.Conn
	CloseWrite() error
}

type listeningConn struct {
	halfCloser
	heard *atomic.Int64
}

func (c listeningConn) Read(p []byte) (int, error) {
	n, err := c.halfCloser.Read(p)
	c.heard.Add(int64(n))
	return n, err
}

// Piecemeal is a client whose pieces the server reads one by one.
func (s *LaneSide) Piecemeal(t *testing.T) (c *LaneClient, say func(...string)) {
	var heard atomic.Int64
	l := lane.Cork(listening{Listener: s.Listen(), heard: &heard}, s.Lane)
	go func() { _ = s.Server.Serve(l) }()
	c = s.Dial()
	sum := int64(0)
	return c, func(pieces ...string) {
		t.Helper()
		for _, piece := range pieces {
			c.Say(piece)
			sum += int64(len(piece))
			Eventually(t, "read", func() bool { return heard.Load() == sum })
		}
	}
}

// Stall makes a client request more than it reads, until the server waits for it.
func (s *LaneSide) Stall(c *LaneClient) {
	s.T.Helper()
	_ = c.TCP.SetReadBuffer(8 << 10)
	c.Say(Flood)
	if _, err := c.Reader.Peek(1); err != nil {
		s.T.Fatal(err)
	}
}

// ListenTLS makes the dialed connections use TLS.
func (s *LaneSide) ListenTLS() {
	s.Secure = true
	l := lane.Cork(s.Secured(s.Listen()), s.Lane)
	go func() { _ = s.Server.Serve(l) }()
}

// Secured makes the connections of l TLS connections, if these are dialed. The
// timeouts of tests do not apply to the handshake.
func (s *LaneSide) Secured(l net.Listener) net.Listener {
	if !s.Secure {
		return l
	}
	files := s.Certificate()
	certificate, err := secure.Open(files[0], files[1], zap.NewNop())
	if err != nil {
		s.T.Fatal(err)
	}
	return secure.Listen(l, certificate, 0, new(atomic.Uint64))
}

func (s *LaneSide) Certificate() (files [2]string) {
	dir := s.T.TempDir()
	files = [2]string{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	if err := proxytest.WriteCertificate(files[0], files[1], 1, time.Now().Add(time.Hour)); err != nil {
		s.T.Fatal(err)
	}
	return files
}
