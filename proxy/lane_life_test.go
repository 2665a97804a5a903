package proxy_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/lane"
)

// alike runs a test with the lane and without, each with TLS and without: it must pass
// all ways.
func alike(t *testing.T, change func(*proxy.Options, *http.Server), test func(t *testing.T, s *laneSide)) {
	alikePlain(t, change, test)
	for name, inLane := range map[string]bool{"with": true, "without": false} {
		t.Run(name+", TLS", func(t *testing.T) {
			t.Parallel()
			s := newLaneSide(t, newLaneSite(t), inLane, change)
			s.listenTLS()
			test(t, s)
		})
	}
}

// alikePlain is alike without TLS.
func alikePlain(t *testing.T, change func(*proxy.Options, *http.Server), test func(t *testing.T, s *laneSide)) {
	for name, inLane := range map[string]bool{"with": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newLaneSide(t, newLaneSite(t), inLane, change))
		})
	}
}

// laneClient is one connection.
type laneClient struct {
	net.Conn // TCP, or TLS
	tcp      *net.TCPConn
	t        testing.TB
	reader   *bufio.Reader
}

func (s *laneSide) dial() *laneClient {
	s.t.Helper()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute)) // a test that fails ends
	tcp := c.(*net.TCPConn)
	if s.secure {
		c = tls.Client(c, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
		if err := c.(*tls.Conn).HandshakeContext(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
	}
	return &laneClient{Conn: c, tcp: tcp, t: s.t, reader: bufio.NewReader(c)}
}

// CloseWrite ends what the client sends.
func (c *laneClient) CloseWrite() error {
	return c.Conn.(interface{ CloseWrite() error }).CloseWrite()
}

func (c *laneClient) say(text string) {
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Error(err)
	}
}

// receive returns the next response, whole.
func (c *laneClient) receive() (*http.Response, string) {
	c.t.Helper()
	res, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res, string(body)
}

func (c *laneClient) get(target string, fields ...string) (*http.Response, string) {
	c.t.Helper()
	c.say("GET " + target + " HTTP/1.1\r\nHost: x\r\n" + strings.Join(append(fields, "\r\n"), "\r\n"))
	return c.receive()
}

// ended waits until the server closes the connection, and returns what it sent.
func (c *laneClient) ended() string {
	c.t.Helper()
	excess, err := io.ReadAll(c.reader)
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		c.t.Fatal("the connection stays open")
	}
	return string(excess)
}

// leaving is a field with which a request leaves the lane, and comes back to it.
const leaving = "X-Calfacade-Tester: given"

// long is a target whose answer is of 8 KB, get asks for it, leaves so that it does,
// and flood for far more than the system holds, in one piece: in the lane, all of it.
var (
	long   = laneTargets[1]
	get    = "GET " + long + " HTTP/1.1\r\nHost: x\r\n\r\n"
	leaves = "GET " + long + " HTTP/1.1\r\nHost: x\r\n" + leaving + "\r\n\r\n"
	flood  = strings.Repeat("GET "+longTarget+" HTTP/1.1\r\nHost: x\r\n\r\n", flooded)
)

const flooded = 12

// closings returns the connections that net/http closes.
func closings(s *http.Server) chan net.Conn {
	closed := make(chan net.Conn, 100)
	s.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- c
		}
	}
	return closed
}

func TestLaneHalfClosed(t *testing.T) {
	alike(t, nil, func(_ *testing.T, s *laneSide) {
		c := s.dial()
		c.say(get)
		_ = c.CloseWrite()
		if _, body := c.receive(); len(body) < 5000 || c.ended() != "" {
			s.t.Errorf("%d bytes", len(body))
		}
	})
}

// TestLaneSlowReader: a client requests more than the system buffers, and only then reads.
func TestLaneSlowReader(t *testing.T) {
	alike(t, nil, func(t *testing.T, s *laneSide) {
		c := s.dial()
		c.say(flood)
		_, first := c.receive()
		for range flooded - 1 {
			if res, body := c.receive(); body != first || res.StatusCode != http.StatusOK {
				t.Fatalf("%s, %d bytes", res.Status, len(body))
			}
		}
		if n := s.handled.Load(); n > 0 && s.lane != nil {
			t.Errorf("%d were net/http's", n)
		}
	})
}

// TestLaneWriteTimeout: a client that does not read is disconnected, and the record has it.
func TestLaneWriteTimeout(t *testing.T) {
	closed := map[*http.Server]chan net.Conn{}
	for name, inLane := range map[string]bool{"with": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			s := newLaneSide(t, newLaneSite(t), inLane, func(_ *proxy.Options, s *http.Server) {
				s.WriteTimeout = 50 * time.Millisecond
				closed[s] = closings(s)
			})
			c := s.dial()
			c.say(flood)
			<-closed[s.server]
			if n := s.logs.FilterField(zap.Bool("client_gone", true)).Len(); n != 1 {
				t.Errorf("%d records say that the client is gone", n)
			}
			if n := s.counts()["calfacade_requests_in_flight"]; n != 0 {
				t.Errorf("%d requests are in flight", n)
			}
		})
	}
}

// timeout is a timeout that is to run out, and before that bounds requests which are to succeed: a
// slow machine has that long for each.
const timeout = 3 * time.Second

// TestLaneTimeouts: an idle connection is closed without a response; one in the middle of a
// head as net/http does it.
func TestLaneTimeouts(t *testing.T) {
	t.Parallel() // it waits more than it works
	for _, test := range []struct {
		name, input, want string
		change            func(*http.Server)
	}{
		{"before a request", "", "", func(s *http.Server) { s.ReadHeaderTimeout = 50 * time.Millisecond }},
		{"idle", get, "", func(s *http.Server) { s.IdleTimeout = 50 * time.Millisecond }},
		{"idle, by ReadTimeout", get, "", func(s *http.Server) {
			s.IdleTimeout = 0
			s.ReadTimeout = 50 * time.Millisecond
		}},
		{"idle, in three bytes", get + "GET", "", func(s *http.Server) { s.IdleTimeout = 50 * time.Millisecond }},
		{"in a head", get + "GET / HT", "HTTP/1.1 400 Bad Request", func(s *http.Server) { s.ReadHeaderTimeout = timeout }},
		{"back", leaves, "", func(s *http.Server) { s.IdleTimeout = 50 * time.Millisecond }},
		{"back, in three bytes", leaves + "GET", "", func(s *http.Server) { s.IdleTimeout = 50 * time.Millisecond }},
		{"back, in a head", leaves + "GET / HT", "HTTP/1.1 400 Bad Request", func(s *http.Server) { s.ReadHeaderTimeout = timeout }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			alike(t, func(_ *proxy.Options, s *http.Server) { test.change(s) }, func(t *testing.T, s *laneSide) {
				c := s.dial()
				c.say(test.input)
				if test.input != "" {
					c.receive()
				}
				if status, _, _ := strings.Cut(c.ended(), "\r"); status != test.want {
					t.Errorf("it said %q", status)
				}
			})
		})
	}
}

// TestLaneLeavesTime: a request that leaves the lane has all the time that it would
// have had, however long the connection was in it.
func TestLaneLeavesTime(t *testing.T) {
	t.Parallel() // it waits more than it works
	alike(t, func(o *proxy.Options, s *http.Server) {
		o.Edge.ReadOnly = false
		s.ReadTimeout = timeout
		s.ReadHeaderTimeout = time.Minute
		s.IdleTimeout = time.Minute
	}, func(t *testing.T, s *laneSide) {
		first := s.dial()
		again := s.dial()
		again.get(long, leaving)
		connections := map[string]*laneClient{"for the first time": first, "again": again}
		for _, c := range connections {
			c.get(long)
		}
		<-time.After(timeout + timeout/4)
		for _, c := range connections { // before the writes, which purge it
			c.get(long)
		}
		body := `{"title":"` + strings.Repeat("x", 40_000) + `"}`
		for name, c := range connections {
			c.say("POST /wp-json/calendar/events/v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
				"Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
			if res, got := c.receive(); strings.Contains(got, "body") ||
				res.StatusCode == http.StatusBadRequest && !strings.Contains(got, "rest_missing_callback_param") {
				t.Errorf("%s: %s: %.300s", name, res.Status, got)
			}
		}
	})
}

// TestLaneComesBack: a connection is in the lane again once net/http has served all that was handed over to it.
// net/http serves a request that begins in the bytes handed over.
func TestLaneComesBack(t *testing.T) {
	const miss = "/wp-json/calendar/events/v1/tags/"
	for _, test := range []struct {
		name, between string
		answers       int
		back          bool
	}{
		{"after a miss", "GET " + miss + "1 HTTP/1.1\r\nHost: x\r\n\r\n", 1, true},
		{"after a request of somebody", "GET " + long + " HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YTpi\r\n\r\n", 1, true},
		{"after two", leaves + leaves, 2, true},
		{"after one and a hit", leaves + get, 2, true},
		{"after a hit and one", get + leaves, 2, true},
		{"after one and a byte", leaves + "G", 1, false},
		{"after one that it does not frame", "GET " + long + " HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 1, true},
		{"after one with a body", "POST " + long + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n{", 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newLaneSide(t, newLaneSite(t), true, nil)
			c := s.dial()
			_, want := c.get(long)
			c.say(test.between)
			for range test.answers {
				c.receive()
			}
			handled := s.handled.Load()
			for range 3 {
				c.say(strings.TrimPrefix(get, test.between[strings.LastIndex(test.between, "\n")+1:]))
				if _, got := c.receive(); got != want {
					t.Errorf("got %.200s", got)
				}
				test.between = "\n"
			}
			if got := s.handled.Load() == handled; got != test.back {
				t.Errorf("in the lane: %v", got)
			}
		})
	}
}

// TestLaneIsAtRequestsAlone: the lane answers nothing in the middle of a request that net/http has begun to read, also
// where the buffer of net/http is empty.
func TestLaneIsAtRequestsAlone(t *testing.T) {
	post := "POST " + long + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + strconv.Itoa(1+2*len(get)) + "\r\n\r\n"
	for _, test := range []struct{ name, first, second, want string }{
		{"after the first line", leaves + "GET " + long + " HTTP/1.1\r\n", get, "400 Bad Request"},
		{"after a field", leaves + "GET " + long + " HTTP/1.1\r\nHost: x\r\n", get, "400 Bad Request"},
		{"after a header", leaves + post, "{" + get + get, "503 Service Unavailable"},
		{"in a body", leaves + post + "{", get + get, "503 Service Unavailable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newLaneSide(t, newLaneSite(t), true, nil)
			c, say := s.piecemeal(t)
			say(test.first)
			c.receive()
			say(test.second)
			if res, body := c.receive(); res.Status != test.want {
				t.Errorf("%s: %.200s", res.Status, body)
			}
		})
	}
}

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

// piecemeal is a client whose pieces the server reads one by one.
func (s *laneSide) piecemeal(t *testing.T) (c *laneClient, say func(...string)) {
	var heard atomic.Int64
	l := lane.Cork(listening{Listener: s.listen(), heard: &heard}, s.lane)
	go func() { _ = s.server.Serve(l) }()
	c = s.dial()
	sum := int64(0)
	return c, func(pieces ...string) {
		t.Helper()
		for _, piece := range pieces {
			c.say(piece)
			sum += int64(len(piece))
			eventually(t, "read", func() bool { return heard.Load() == sum })
		}
	}
}

// TestLanePieces: a head in pieces is served by the lane, or handed over, as a whole one is.
func TestLanePieces(t *testing.T) {
	s := newLaneSide(t, newLaneSite(t), true, nil)
	c, say := s.piecemeal(t)
	for _, test := range []struct {
		name    string
		pieces  []string
		handled int32
	}{
		{"the first", []string{get[:2], get[2:30], get[30:]}, 0},
		{"another", []string{get[:3], get[3:]}, 0},
		{"with the one before", []string{get + get[:20], get[20:]}, 0},
		{"to net/http", []string{leaves[:30], leaves[30:]}, 1},
		{"after that", []string{get[:1], get[1:5], get[5:]}, 0},
		{"the end of one and the beginning", []string{get[:30], get[30:] + get[:30], get[30:]}, 0},
		{"byte by byte", strings.Split(get, ""), 0},
	} {
		handled := s.handled.Load()
		say(test.pieces...)
		for range strings.Count(strings.Join(test.pieces, ""), "\r\n\r\n") {
			if _, body := c.receive(); len(body) < 5000 {
				t.Errorf("%s: %.200s", test.name, body)
			}
		}
		if got := s.handled.Load() - handled; got != test.handled {
			t.Errorf("%s: net/http handled %d, want %d", test.name, got, test.handled)
		}
	}
}

// TestLaneSlowHead: a slow head has no more time than net/http gives it.
func TestLaneSlowHead(t *testing.T) {
	t.Parallel() // it waits more than it works
	for name, requests := range map[string][]string{"the first": nil, "another": {get},
		"after one in pieces": {get, get[:9], get[9:]}, "after one of net/http": {leaves}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alikePlain(t, func(_ *proxy.Options, s *http.Server) {
				s.ReadHeaderTimeout = timeout
				s.IdleTimeout = time.Hour
			}, func(t *testing.T, s *laneSide) {
				c, say := s.piecemeal(t)
				say(requests...)
				for range strings.Count(strings.Join(requests, ""), "\r\n\r\n") {
					c.receive()
				}
				c.say("GET / HTTP/1.1\r\n")
				var lines int
				done := make(chan struct{})
				go func() {
					defer close(done)
					tick := time.NewTicker(10 * time.Millisecond)
					defer tick.Stop()
					for ; ; <-tick.C {
						if _, err := io.WriteString(c, "A: b\r\n"); err != nil {
							return
						}
						lines++
					}
				}()
				// It is empty if the system dropped it because of later data.
				if status, _, _ := strings.Cut(c.ended(), "\r"); status != "HTTP/1.1 400 Bad Request" && status != "" {
					t.Errorf("it said %q", status)
				}
				<-done
				if lines > 2000 { // as many as fit, and not as many as come in that time
					t.Errorf("it took %d lines", lines)
				}
			})
		})
	}
}

// TestLanePiecesLeaveTime: a head in pieces takes nothing from those after it.
func TestLanePiecesLeaveTime(t *testing.T) {
	t.Parallel() // it waits more than it works
	alikePlain(t, func(_ *proxy.Options, s *http.Server) {
		s.ReadHeaderTimeout = timeout
		s.IdleTimeout = time.Hour
	}, func(t *testing.T, s *laneSide) {
		c, say := s.piecemeal(t)
		say(get[:9], get[9:])
		c.receive()
		say(get[:9], get[9:])
		c.receive()
		for began := time.Now(); time.Since(began) < timeout+timeout/4; {
			say(get)
			c.receive()
		}
	})
}

// TestLaneServesEarlyRequests: the lane serves what a client sends before it has its
// response from net/http, and still notices when the client disconnects.
func TestLaneServesEarlyRequests(t *testing.T) {
	for name, early := range map[string]string{"nothing": "", "a byte": get[:1], "a part": get[:40], "all": get, "more": get + get[:40]} {
		t.Run(name, func(t *testing.T) {
			s := newLaneSide(t, newLaneSite(t), true, nil)
			c := s.dial()
			_, want := c.get(long)
			handled := s.handled.Load()
			for range 2 {
				c.get(long, leaving)
				c.say(held)
				<-s.held
				c.say(early)
				s.held <- struct{}{}
				if _, got := c.receive(); !strings.Contains(got, "77") {
					t.Errorf("got %.200s", got)
				}
				hits := (len(early) + len(get) - 1) / len(get)
				c.say(strings.Repeat(get, hits)[len(early):])
				for range hits {
					if _, got := c.receive(); got != want {
						t.Errorf("got %.200s", got)
					}
				}
			}
			c.say(held)
			<-s.held
			_ = c.tcp.SetLinger(0) // a reset: a client that only closes its half cancels no call
			_ = c.Close()
			<-s.disconnected
			if got := s.handled.Load() - handled; got != 5 {
				t.Errorf("net/http handled %d, want 5", got)
			}
		})
	}
}

// held is a request for heldTarget that is answered past the cache.
const held = "GET /wp-json/calendar/events/v1" + heldTarget + " HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YTpi\r\n\r\n"

// TestLaneGivesWhatComesEarly: net/http gets it if there is no lane any more.
func TestLaneGivesWhatComesEarly(t *testing.T) {
	s := newLaneSide(t, newLaneSite(t), true, nil)
	c := s.dial()
	_, want := c.get(long)
	c.say(held)
	<-s.held
	c.say(get)
	if err := s.lane.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	s.held <- struct{}{}
	c.receive()
	if _, got := c.receive(); got != want {
		t.Errorf("got %.200s", got)
	}
}

// TestLaneDrain: responses during a drain close the connection.
func TestLaneDrain(t *testing.T) {
	alike(t, nil, func(t *testing.T, s *laneSide) {
		c := s.dial()
		if res, _ := c.get(long); res.Close {
			t.Error("the connection closes early")
		}
		s.draining.Store(true)
		if res, body := c.get(long); !res.Close || len(body) < 5000 || c.ended() != "" {
			t.Errorf("%v, %d bytes", res.Header, len(body))
		}
	})
}

// TestLaneShutdown: an idle connection is closed, one without a request is left to the
// server, and a response in progress is finished.
func TestLaneShutdown(t *testing.T) {
	t.Parallel() // it waits more than it works
	s := newLaneSide(t, newLaneSite(t), true, nil)
	begins := s.dial()
	waits := s.dial()
	back := s.dial()
	silent := s.dial()
	slow := s.dial()
	begins.say(get[:30])
	waits.get(long)
	back.get(long, leaving)
	back.get(long)
	slow.get(long)
	s.stall(slow)
	s.draining.Store(true)
	done := make(chan error, 1)
	go func() { done <- s.lane.Shutdown(t.Context()) }()
	for _, c := range []*laneClient{waits, back} {
		if excess := c.ended(); excess != "" {
			t.Errorf("it said %q", excess)
		}
	}
	select {
	case err := <-done:
		t.Fatalf("it did not wait for an answer: %v", err)
	default:
	}
	_, _ = io.Copy(io.Discard, slow.reader) // at least the answer under way, and then the end
	if err := <-done; err != nil {
		t.Error(err)
	}
	if res, _ := silent.get(long); !res.Close {
		t.Error("the one that had not asked was not served by net/http")
	}
	begins.say(get[30:])
	if res, _ := begins.receive(); !res.Close {
		t.Error("the one that had begun to ask was not served by net/http")
	}
}

// TestLaneShutdownCuts: answers that take too long are cut off.
func TestLaneShutdownCuts(t *testing.T) {
	s := newLaneSide(t, newLaneSite(t), true, nil)
	slow := s.dial()
	slow.get(long)
	s.stall(slow)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.lane.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// stall makes a client request more than it reads, until the server waits for it.
func (s *laneSide) stall(c *laneClient) {
	s.t.Helper()
	_ = c.tcp.SetReadBuffer(8 << 10)
	c.say(flood)
	if _, err := c.reader.Peek(1); err != nil {
		s.t.Fatal(err)
	}
}

// TestLaneKeepsAnswersOnClose: net/http, which takes a connection in the lane for
// idle, closes it in the middle of an answer; the client gets it whole.
func TestLaneKeepsAnswersOnClose(t *testing.T) {
	t.Parallel() // it waits more than it works
	var conn atomic.Value
	s := newLaneSide(t, newLaneSite(t), true, func(_ *proxy.Options, s *http.Server) {
		s.ConnState = func(c net.Conn, state http.ConnState) {
			if state == http.StateNew {
				conn.Store(&c)
			}
		}
	})
	c := s.dial()
	_, want := c.get(longTarget)
	s.stall(c)
	s.server.SetKeepAlivesEnabled(false)
	_ = (*conn.Load().(*net.Conn)).Close()
	for range 2 { // net/http has the next one
		if _, body := c.receive(); body != want {
			t.Errorf("%d bytes of %d", len(body), len(want))
		}
	}
	if excess := c.ended(); excess != "" {
		t.Errorf("it went on for %d bytes", len(excess))
	}
}

// TestLaneConnections: a connection that the lane closes frees its slot, and net/http
// observes it once.
func TestLaneConnections(t *testing.T) {
	var open atomic.Int32
	s := newLaneSide(t, newLaneSite(t), true, func(_ *proxy.Options, s *http.Server) {
		s.ConnState = func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				open.Add(1)
			case http.StateClosed:
				open.Add(-1)
			}
		}
	})
	l := edge.LimitConnections(s.listen(), edge.ConnectionLimits{All: 1})
	go func() { _ = s.server.Serve(lane.Cork(l, s.lane)) }()
	for _, end := range []string{"", "GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GE"} {
		c := s.dial()
		c.get(long)
		c.say(end)
		_ = c.CloseWrite()
		c.ended()
	}
	s.dial().get(long) // waits for all before; net/http reports a connection after it is closed
	eventually(t, "one open", func() bool { return open.Load() == 1 })
}

// TestLaneFollowsTheCache: the lane serves what the cache has at the time.
func TestLaneFollowsTheCache(t *testing.T) {
	s := newLaneSide(t, newLaneSite(t), true, nil)
	c := s.dial()
	inLane := func(want bool, why string, fields ...string) *http.Response {
		t.Helper()
		handled := s.handled.Load()
		res, _ := c.get(long, fields...)
		if got := s.handled.Load() == handled; got != want {
			t.Errorf("%s: in the lane: %v", why, got)
		}
		return res
	}
	tag := inLane(true, "fresh").Header.Get("Etag")
	s.now.Add(int64(7 * time.Second))
	if res := inLane(true, "older"); res.Header.Get("Age") != "7" {
		t.Errorf("header %v", res.Header)
	}
	s.edited.Add(1)
	s.cache.Purge(t.Context(), cache.Purge{All: true})
	if res := inLane(false, "purged"); res.Header.Get("Cache-Status") != "calfacade; fwd=uri-miss; stored; ttl="+ttlOf(res) {
		t.Errorf("header %v", res.Header)
	}
	if res := inLane(true, "fetched"); res.Header.Get("Age") != "0" || res.Header.Get("Etag") == tag {
		t.Errorf("header %v", res.Header)
	}
	inLane(true, "compressed", "Accept-Encoding: gzip")
	s.cache.Purge(t.Context(), cache.Purge{All: true, Soft: true})
	listed := s.listed.Load()
	inLane(false, "stale")
	// A refresh that began later would be fresh below.
	eventually(t, "the refresh has begun", func() bool { return s.listed.Load() > listed })
	s.now.Add(int64(2 * time.Hour))
	inLane(false, "old")
}

func ttlOf(res *http.Response) string {
	_, ttl, _ := strings.Cut(res.Header.Get("Cache-Status"), "ttl=")
	return ttl
}
