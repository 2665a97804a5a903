package lane_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/lane"
	"go.uber.org/zap"
)

// alike runs a test with the lane and without, each with TLS and without: it must pass
// all ways.
func alike(t *testing.T, change func(*proxy.Options, *http.Server), test func(t *testing.T, s *facadetest.LaneSide)) {
	alikePlain(t, change, test)
	for name, inLane := range map[string]bool{"with": true, "without": false} {
		t.Run(name+", TLS", func(t *testing.T) {
			t.Parallel()
			s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), inLane, change)
			s.ListenTLS()
			test(t, s)
		})
	}
}

// alikePlain is alike without TLS.
func alikePlain(t *testing.T, change func(*proxy.Options, *http.Server), test func(t *testing.T, s *facadetest.LaneSide)) {
	for name, inLane := range map[string]bool{"with": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), inLane, change))
		})
	}
}

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
	alike(t, nil, func(_ *testing.T, s *facadetest.LaneSide) {
		c := s.Dial()
		c.Say(facadetest.Get)
		_ = c.CloseWrite()
		if _, body := c.Receive(); len(body) < 5000 || c.Ended() != "" {
			s.T.Errorf("%d bytes", len(body))
		}
	})
}

// TestLaneSlowReader: a client requests more than the system buffers, and only then reads.
func TestLaneSlowReader(t *testing.T) {
	alike(t, nil, func(t *testing.T, s *facadetest.LaneSide) {
		c := s.Dial()
		c.Say(facadetest.Flood)
		_, first := c.Receive()
		for range facadetest.Flooded - 1 {
			if res, body := c.Receive(); body != first || res.StatusCode != http.StatusOK {
				t.Fatalf("%s, %d bytes", res.Status, len(body))
			}
		}
		if n := s.Handled.Load(); n > 0 && s.Lane != nil {
			t.Errorf("%d were net/http's", n)
		}
	})
}

// TestLaneWriteTimeout: a client that does not read is disconnected, and the record has it.
func TestLaneWriteTimeout(t *testing.T) {
	closed := map[*http.Server]chan net.Conn{}
	for name, inLane := range map[string]bool{"with": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), inLane, func(_ *proxy.Options, s *http.Server) {
				s.WriteTimeout = 50 * time.Millisecond
				closed[s] = closings(s)
			})
			c := s.Dial()
			c.Say(facadetest.Flood)
			<-closed[s.Server]
			if n := s.Logs.FilterField(zap.Bool("client_gone", true)).Len(); n != 1 {
				t.Errorf("%d records say that the client is gone", n)
			}
			if n := s.Counts()["calfacade_requests_in_flight"]; n != 0 {
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
		{"idle", facadetest.Get, "", func(s *http.Server) { s.IdleTimeout = 50 * time.Millisecond }},
		{"idle, by ReadTimeout", facadetest.Get, "", func(s *http.Server) {
			s.IdleTimeout = 0
			s.ReadTimeout = 50 * time.Millisecond
		}},
		{"idle, in three bytes", facadetest.Get + "GET", "", func(s *http.Server) { s.IdleTimeout = 50 * time.Millisecond }},
		{"in a head", facadetest.Get + "GET / HT", "HTTP/1.1 400 Bad Request", func(s *http.Server) { s.ReadHeaderTimeout = timeout }},
		{"back", facadetest.Leaves, "", func(s *http.Server) { s.IdleTimeout = 50 * time.Millisecond }},
		{"back, in three bytes", facadetest.Leaves + "GET", "", func(s *http.Server) { s.IdleTimeout = 50 * time.Millisecond }},
		{"back, in a head", facadetest.Leaves + "GET / HT", "HTTP/1.1 400 Bad Request", func(s *http.Server) { s.ReadHeaderTimeout = timeout }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			alike(t, func(_ *proxy.Options, s *http.Server) { test.change(s) }, func(t *testing.T, s *facadetest.LaneSide) {
				c := s.Dial()
				c.Say(test.input)
				if test.input != "" {
					c.Receive()
				}
				if status, _, _ := strings.Cut(c.Ended(), "\r"); status != test.want {
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
	}, func(t *testing.T, s *facadetest.LaneSide) {
		first := s.Dial()
		again := s.Dial()
		again.Get(facadetest.Long, facadetest.Leaving)
		connections := map[string]*facadetest.LaneClient{"for the first time": first, "again": again}
		for _, c := range connections {
			c.Get(facadetest.Long)
		}
		<-time.After(timeout + timeout/4)
		for _, c := range connections { // before the writes, which purge it
			c.Get(facadetest.Long)
		}
		body := `{"title":"` + strings.Repeat("x", 40_000) + `"}`
		for name, c := range connections {
			c.Say("POST /wp-json/calendar/events/v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
				"Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
			if res, got := c.Receive(); strings.Contains(got, "body") ||
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
		{"after a request of somebody", "GET " + facadetest.Long + " HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YTpi\r\n\r\n", 1, true},
		{"after two", facadetest.Leaves + facadetest.Leaves, 2, true},
		{"after one and a hit", facadetest.Leaves + facadetest.Get, 2, true},
		{"after a hit and one", facadetest.Get + facadetest.Leaves, 2, true},
		{"after one and a byte", facadetest.Leaves + "G", 1, false},
		{"after one that it does not frame", "GET " + facadetest.Long + " HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 1, true},
		{"after one with a body", "POST " + facadetest.Long + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n{", 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, nil)
			c := s.Dial()
			_, want := c.Get(facadetest.Long)
			c.Say(test.between)
			for range test.answers {
				c.Receive()
			}
			handled := s.Handled.Load()
			for range 3 {
				c.Say(strings.TrimPrefix(facadetest.Get, test.between[strings.LastIndex(test.between, "\n")+1:]))
				if _, got := c.Receive(); got != want {
					t.Errorf("got %.200s", got)
				}
				test.between = "\n"
			}
			if got := s.Handled.Load() == handled; got != test.back {
				t.Errorf("in the lane: %v", got)
			}
		})
	}
}

// TestLaneIsAtRequestsAlone: the lane answers nothing in the middle of a request that net/http has begun to read, also
// where the buffer of net/http is empty.
func TestLaneIsAtRequestsAlone(t *testing.T) {
	post := "POST " + facadetest.Long + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + strconv.Itoa(1+2*len(facadetest.Get)) + "\r\n\r\n"
	for _, test := range []struct{ name, first, second, want string }{
		{"after the first line", facadetest.Leaves + "GET " + facadetest.Long + " HTTP/1.1\r\n", facadetest.Get, "400 Bad Request"},
		{"after a field", facadetest.Leaves + "GET " + facadetest.Long + " HTTP/1.1\r\nHost: x\r\n", facadetest.Get, "400 Bad Request"},
		{"after a header", facadetest.Leaves + post, "{" + facadetest.Get + facadetest.Get, "503 Service Unavailable"},
		{"in a body", facadetest.Leaves + post + "{", facadetest.Get + facadetest.Get, "503 Service Unavailable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, nil)
			c, say := s.Piecemeal(t)
			say(test.first)
			c.Receive()
			say(test.second)
			if res, body := c.Receive(); res.Status != test.want {
				t.Errorf("%s: %.200s", res.Status, body)
			}
		})
	}
}

// TestLanePieces: a head in pieces is served by the lane, or handed over, as a whole one is.
func TestLanePieces(t *testing.T) {
	s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, nil)
	c, say := s.Piecemeal(t)
	for _, test := range []struct {
		name    string
		pieces  []string
		handled int32
	}{
		{"the first", []string{facadetest.Get[:2], facadetest.Get[2:30], facadetest.Get[30:]}, 0},
		{"another", []string{facadetest.Get[:3], facadetest.Get[3:]}, 0},
		{"with the one before", []string{facadetest.Get + facadetest.Get[:20], facadetest.Get[20:]}, 0},
		{"to net/http", []string{facadetest.Leaves[:30], facadetest.Leaves[30:]}, 1},
		{"after that", []string{facadetest.Get[:1], facadetest.Get[1:5], facadetest.Get[5:]}, 0},
		{"the end of one and the beginning", []string{facadetest.Get[:30], facadetest.Get[30:] + facadetest.Get[:30], facadetest.Get[30:]}, 0},
		{"byte by byte", strings.Split(facadetest.Get, ""), 0},
	} {
		handled := s.Handled.Load()
		say(test.pieces...)
		for range strings.Count(strings.Join(test.pieces, ""), "\r\n\r\n") {
			if _, body := c.Receive(); len(body) < 5000 {
				t.Errorf("%s: %.200s", test.name, body)
			}
		}
		if got := s.Handled.Load() - handled; got != test.handled {
			t.Errorf("%s: net/http handled %d, want %d", test.name, got, test.handled)
		}
	}
}

// TestLaneSlowHead: a slow head has no more time than net/http gives it.
func TestLaneSlowHead(t *testing.T) {
	t.Parallel() // it waits more than it works
	for name, requests := range map[string][]string{"the first": nil, "another": {facadetest.Get},
		"after one in pieces": {facadetest.Get, facadetest.Get[:9], facadetest.Get[9:]}, "after one of net/http": {facadetest.Leaves}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alikePlain(t, func(_ *proxy.Options, s *http.Server) {
				s.ReadHeaderTimeout = timeout
				s.IdleTimeout = time.Hour
			}, func(t *testing.T, s *facadetest.LaneSide) {
				c, say := s.Piecemeal(t)
				say(requests...)
				for range strings.Count(strings.Join(requests, ""), "\r\n\r\n") {
					c.Receive()
				}
				c.Say("GET / HTTP/1.1\r\n")
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
				if status, _, _ := strings.Cut(c.Ended(), "\r"); status != "HTTP/1.1 400 Bad Request" && status != "" {
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
	}, func(t *testing.T, s *facadetest.LaneSide) {
		c, say := s.Piecemeal(t)
		say(facadetest.Get[:9], facadetest.Get[9:])
		c.Receive()
		say(facadetest.Get[:9], facadetest.Get[9:])
		c.Receive()
		for began := time.Now(); time.Since(began) < timeout+timeout/4; {
			say(facadetest.Get)
			c.Receive()
		}
	})
}

// TestLaneServesEarlyRequests: the lane serves requests that a client sends before it has its
// response from net/http, and still notices when the client disconnects.
func TestLaneServesEarlyRequests(t *testing.T) {
	for name, early := range map[string]string{
		"nothing": "",
		"a byte":  facadetest.Get[:1],
		"a part":  facadetest.Get[:40],
		"all":     facadetest.Get,
		"more":    facadetest.Get + facadetest.Get[:40],
	} {
		t.Run(name, func(t *testing.T) {
			s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, nil)
			c := s.Dial()
			_, want := c.Get(facadetest.Long)
			handled := s.Handled.Load()
			for range 2 {
				c.Get(facadetest.Long, facadetest.Leaving)
				c.Say(held)
				<-s.Held
				c.Say(early)
				s.Held <- struct{}{}
				if _, got := c.Receive(); !strings.Contains(got, "77") {
					t.Errorf("got %.200s", got)
				}
				hits := (len(early) + len(facadetest.Get) - 1) / len(facadetest.Get)
				c.Say(strings.Repeat(facadetest.Get, hits)[len(early):])
				for range hits {
					if _, got := c.Receive(); got != want {
						t.Errorf("got %.200s", got)
					}
				}
			}
			c.Say(held)
			<-s.Held
			_ = c.TCP.SetLinger(0) // a reset: a client that only closes its half cancels no call
			_ = c.Close()
			<-s.Disconnected
			if got := s.Handled.Load() - handled; got != 5 {
				t.Errorf("net/http handled %d, want 5", got)
			}
		})
	}
}

// held is a request for heldTarget that is answered past the cache.
const held = "GET /wp-json/calendar/events/v1" + facadetest.HeldTarget + " HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YTpi\r\n\r\n"

// TestLaneGivesWhatComesEarly: net/http gets it if there is no lane any more.
func TestLaneGivesWhatComesEarly(t *testing.T) {
	s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, nil)
	c := s.Dial()
	_, want := c.Get(facadetest.Long)
	c.Say(held)
	<-s.Held
	c.Say(facadetest.Get)
	if err := s.Lane.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	s.Held <- struct{}{}
	c.Receive()
	if _, got := c.Receive(); got != want {
		t.Errorf("got %.200s", got)
	}
}

// TestLaneDrain: responses during a drain close the connection.
func TestLaneDrain(t *testing.T) {
	alike(t, nil, func(t *testing.T, s *facadetest.LaneSide) {
		c := s.Dial()
		if res, _ := c.Get(facadetest.Long); res.Close {
			t.Error("the connection closes early")
		}
		s.Draining.Store(true)
		if res, body := c.Get(facadetest.Long); !res.Close || len(body) < 5000 || c.Ended() != "" {
			t.Errorf("%v, %d bytes", res.Header, len(body))
		}
	})
}

// TestLaneShutdown: an idle connection is closed, one without a request is left to the
// server, and a response in progress is finished.
func TestLaneShutdown(t *testing.T) {
	t.Parallel() // it waits more than it works
	s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, nil)
	begins := s.Dial()
	waits := s.Dial()
	back := s.Dial()
	silent := s.Dial()
	slow := s.Dial()
	begins.Say(facadetest.Get[:30])
	waits.Get(facadetest.Long)
	back.Get(facadetest.Long, facadetest.Leaving)
	back.Get(facadetest.Long)
	slow.Get(facadetest.Long)
	s.Stall(slow)
	s.Draining.Store(true)
	done := make(chan error, 1)
	go func() { done <- s.Lane.Shutdown(t.Context()) }()
	for _, c := range []*facadetest.LaneClient{waits, back} {
		if excess := c.Ended(); excess != "" {
			t.Errorf("it said %q", excess)
		}
	}
	select {
	case err := <-done:
		t.Fatalf("it did not wait for an answer: %v", err)
	default:
	}
	_, _ = io.Copy(io.Discard, slow.Reader) // at least the answer under way, and then the end
	if err := <-done; err != nil {
		t.Error(err)
	}
	if res, _ := silent.Get(facadetest.Long); !res.Close {
		t.Error("the one that had not asked was not served by net/http")
	}
	begins.Say(facadetest.Get[30:])
	if res, _ := begins.Receive(); !res.Close {
		t.Error("the one that had begun to ask was not served by net/http")
	}
}

// TestLaneShutdownCuts: answers that take too long are cut off.
func TestLaneShutdownCuts(t *testing.T) {
	s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, nil)
	slow := s.Dial()
	slow.Get(facadetest.Long)
	s.Stall(slow)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Lane.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestLaneKeepsAnswersOnClose: net/http, which takes a connection in the lane for
// idle, closes it in the middle of an answer; the client gets it whole.
func TestLaneKeepsAnswersOnClose(t *testing.T) {
	t.Parallel() // it waits more than it works
	var conn atomic.Value
	s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, func(_ *proxy.Options, s *http.Server) {
		s.ConnState = func(c net.Conn, state http.ConnState) {
			if state == http.StateNew {
				conn.Store(&c)
			}
		}
	})
	c := s.Dial()
	_, want := c.Get(facadetest.LongTarget)
	s.Stall(c)
	s.Server.SetKeepAlivesEnabled(false)
	_ = (*conn.Load().(*net.Conn)).Close()
	for range 2 { // net/http has the next one
		if _, body := c.Receive(); body != want {
			t.Errorf("%d bytes of %d", len(body), len(want))
		}
	}
	if excess := c.Ended(); excess != "" {
		t.Errorf("it went on for %d bytes", len(excess))
	}
}

// TestLaneConnections: a connection that the lane closes frees its slot, and net/http
// observes it once.
func TestLaneConnections(t *testing.T) {
	var open atomic.Int32
	s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, func(_ *proxy.Options, s *http.Server) {
		s.ConnState = func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				open.Add(1)
			case http.StateClosed:
				open.Add(-1)
			}
		}
	})
	l := edge.LimitConnections(s.Listen(), edge.ConnectionLimits{All: 1})
	go func() { _ = s.Server.Serve(lane.Cork(l, s.Lane)) }()
	for _, end := range []string{"", "GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GE"} {
		c := s.Dial()
		c.Get(facadetest.Long)
		c.Say(end)
		_ = c.CloseWrite()
		c.Ended()
	}
	s.Dial().Get(facadetest.Long) // waits for all before; net/http reports a connection after it is closed
	facadetest.Eventually(t, "one open", func() bool { return open.Load() == 1 })
}

// TestLaneFollowsTheCache: the lane serves the entry that the cache has at the time.
func TestLaneFollowsTheCache(t *testing.T) {
	s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, nil)
	c := s.Dial()
	inLane := func(want bool, why string, fields ...string) *http.Response {
		t.Helper()
		handled := s.Handled.Load()
		res, _ := c.Get(facadetest.Long, fields...)
		if got := s.Handled.Load() == handled; got != want {
			t.Errorf("%s: in the lane: %v", why, got)
		}
		return res
	}
	tag := inLane(true, "fresh").Header.Get("Etag")
	s.Now.Add(int64(7 * time.Second))
	if res := inLane(true, "older"); res.Header.Get("Age") != "7" {
		t.Errorf("header %v", res.Header)
	}
	s.Edited.Add(1)
	s.Cache.Purge(t.Context(), cache.Purge{All: true})
	if res := inLane(false, "purged"); res.Header.Get("Cache-Status") != "calfacade; fwd=uri-miss; stored; ttl="+ttlOf(res) {
		t.Errorf("header %v", res.Header)
	}
	if res := inLane(true, "fetched"); res.Header.Get("Age") != "0" || res.Header.Get("Etag") == tag {
		t.Errorf("header %v", res.Header)
	}
	inLane(true, "compressed", "Accept-Encoding: gzip")
	s.Cache.Purge(t.Context(), cache.Purge{All: true, Soft: true})
	listed := s.Listed.Load()
	inLane(false, "stale")
	// A refresh that began later would be fresh below.
	facadetest.Eventually(t, "the refresh has begun", func() bool { return s.Listed.Load() > listed })
	s.Now.Add(int64(2 * time.Hour))
	inLane(false, "old")
}

func ttlOf(res *http.Response) string {
	_, ttl, _ := strings.Cut(res.Header.Get("Cache-Status"), "ttl=")
	return ttl
}
