package upstream_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/upstream"
)

const (
	attacker = "192.0.2.1:4000"
	reader   = "192.0.2.2:4000"
)

// dead is the status of a site that refuses connections.
const dead = -1

// heldSite is a site, without a network, that answers a call once it is released.
type heldSite struct {
	t  *testing.T
	mu sync.Mutex

	calls []*heldCall // under way, in the order in which they came
	began int         // calls of the reader
	ahead int         // calls of the attacker that began while one of the reader's waited
	waits func() bool // whether one does

	free func(*http.Request) int // the status for a call that is not held; 0 for one that is
}

type heldCall struct {
	request *http.Request
	release chan int // the status
}

// RoundTrip implements [http.RoundTripper].
func (s *heldSite) RoundTrip(r *http.Request) (*http.Response, error) {
	status := 0
	if s.free != nil {
		status = s.free(r)
	}
	if status == dead {
		return nil, syscall.ECONNREFUSED
	}
	if status == 0 {
		c := &heldCall{request: r, release: make(chan int, 1)}
		s.mu.Lock()
		s.calls = append(s.calls, c)
		if readers(r) {
			s.began++
		} else if s.waits != nil && s.waits() {
			s.ahead++
		}
		s.mu.Unlock()
		select {
		case status = <-c.release:
		case <-r.Context().Done():
			s.mu.Lock()
			defer s.mu.Unlock()
			s.calls = slices.DeleteFunc(s.calls, func(call *heldCall) bool { return call == c })
			return nil, r.Context().Err()
		}
	}
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Request: r, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(proxytest.Marked(
			fmt.Sprintf(`{"id":%d,"events":[],"total":0,"total_pages":0}`, facadetest.IDIn(r))))),
	}, nil
}

// readers reports whether a call is for the reader, which requests events by id.
func readers(r *http.Request) bool { return strings.Contains(r.URL.Path, "/events/7") }

// release answers the oldest call that suits.
func (s *heldSite) release(status int, suits func(*http.Request) bool) bool {
	s.mu.Lock()
	var c *heldCall
	for i, call := range s.calls {
		if suits(call.request) {
			c = call
			s.calls = append(s.calls[:i:i], s.calls[i+1:]...)
			break
		}
	}
	s.mu.Unlock()
	if c != nil {
		c.release <- status
	}
	synctest.Wait()
	return c != nil
}

func (s *heldSite) underWay(suits func(*http.Request) bool) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if suits(c.request) {
			n++
		}
	}
	return n
}

// attacked is a facade with the defaults, in a bubble: there time moves only
// where the test sleeps, so that nothing depends on how fast a machine is.
type attacked struct {
	*heldSite
	facade  *proxy.Facade
	entries *cache.Cache
	clients sync.WaitGroup
	over    chan struct{}

	answers  sync.Map // statuses that the reader got, with their number of order
	requests int
}

func newAttacked(t *testing.T, change ...func(*proxy.Options)) *attacked {
	a := &attacked{heldSite: &heldSite{t: t}, over: make(chan struct{})}
	a.entries = cache.New(cache.Options{Caller: func(ctx context.Context) any { return upstream.ClientOf(ctx) }})
	o := proxy.Options{
		PublicURL: facadetest.PublicURL,
		Site:      i18n.Languages{{Code: "en", Root: "/wp-json", Upstream: "http://legacy.example/wp-json"}},
		Upstream: upstream.Options{Wrap: func(http.RoundTripper) http.RoundTripper { return a }, MaxConcurrent: 64, MaxQueue: 64,
			Retries: 2,
			Breaker: upstream.BreakerOptions{Failures: 10}},
		Cache: a.entries,
		Edge:  edge.Options{MaxUncached: 1024, SignIns: edge.Quota{Requests: 30, Window: time.Minute}},
	}
	for _, c := range change {
		c(&o)
	}
	a.facade = proxy.New(o)
	t.Cleanup(func() {
		a.facade.Close()
		a.entries.Close()
	})
	return a
}

func (a *attacked) send(client, line string, header ...string) *httptest.ResponseRecorder {
	method, path, _ := strings.Cut(line, " ")
	r := httptest.NewRequestWithContext(a.t.Context(), method, "/wp-json/calendar/events/v1"+path, nil)
	r.RemoteAddr = client
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	a.facade.ServeHTTP(w, r)
	return w
}

// attack makes so many connections send requests without end, each 10 ms after a response.
func (a *attacked) attack(connections int, ask func(connection, n int) (line, header string)) {
	a.attackFrom(func(int) string { return attacker }, connections, ask)
}

// attackFrom is attack with the address of each connection.
func (a *attacked) attackFrom(clientOf func(connection int) string, connections int, ask func(connection, n int) (line, header string)) {
	for c := range connections {
		a.clients.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-a.over:
					return
				default:
				}
				line, header := ask(c, n)
				a.send(clientOf(c), line, header)
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
	synctest.Wait()
}

// readAll makes the reader send a request that is not cached.
func (a *attacked) readAll() {
	a.requests++
	a.clients.Go(func() {
		n := a.requests
		a.answers.Store(n, a.send(reader, fmt.Sprintf("GET /events/7%d", n)).Code)
	})
	synctest.Wait()
}

// refused is how many of the reader's requests got no 200.
func (a *attacked) refused() (n int) {
	a.answers.Range(func(_, status any) bool {
		if status != http.StatusOK {
			n++
		}
		return true
	})
	return n
}

func (a *attacked) end() {
	close(a.over)
	for a.release(http.StatusOK, func(*http.Request) bool { return true }) {
		// until no call is under way or waits
	}
	a.clients.Wait()
}

// TestOneClientCannotStarveOthers: with the defaults, a client with 150 connections
// takes no slot from another one's uncached reads but those that it has already, and
// none of its hits.
func TestOneClientCannotStarveOthers(t *testing.T) {
	for name, test := range map[string]struct {
		ask    func(c, n int) (line, header string)
		slots  int // that it has without other clients
		status int // that the site answers it with
	}{
		"random searches": {func(c, n int) (string, string) { return fmt.Sprintf("GET /events?search=%d-%d", c, n), "" }, 48, 200},
		"random slugs":    {func(c, n int) (string, string) { return fmt.Sprintf("GET /events/by-slug/x-%d-%d", c, n), "" }, 48, 404},
		"random HEADs":    {func(c, n int) (string, string) { return fmt.Sprintf("HEAD /events?search=%d-%d", c, n), "" }, 48, 200},
		"junk credentials": {func(c, n int) (string, string) {
			return "GET /events/5", fmt.Sprintf("Authorization: Basic %dx%d", c, n)
		}, 48, 401},
		"junk passwords": {func(c, n int) (string, string) { return fmt.Sprintf("GET /events/5?password=%d-%d", c, n), "" }, 48, 403},
		"what fails":     {func(c, n int) (string, string) { return fmt.Sprintf("GET /events?search=%d-%d", c, n), "" }, 48, 500},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAttacked(t)
				attackers := func(r *http.Request) bool { return !readers(r) }
				a.readAll()
				a.release(http.StatusOK, readers)
				a.attack(150, test.ask)
				if n := a.underWay(attackers); n != test.slots {
					t.Fatalf("%d calls of the attacker, want %d", n, test.slots)
				}
				began := a.began
				for range 24 {
					a.readAll()
				}
				if n := a.began - began; n != 16 {
					t.Errorf("%d slots were left, want 16", n)
				}
				a.waits = func() bool { return a.began-began < 24 }
				for range 8 {
					time.Sleep(10 * time.Millisecond)
					synctest.Wait()
					a.release(test.status, attackers)
				}
				if n := a.began - began; n != 24 || a.ahead > 0 {
					t.Errorf("%d of 24 under way, after %d calls of the attacker that came later", n, a.ahead)
				}
				if w := a.send(reader, "GET /events/71"); w.Code != http.StatusOK ||
					!strings.Contains(w.Header().Get("Cache-Status"), "; hit") {
					t.Errorf("a hit: %d %s", w.Code, w.Header())
				}
				for n := range 200 { // and so on
					a.readAll()
					a.release(test.status, attackers)
					a.release(http.StatusOK, readers)
					if n%4 == 0 {
						time.Sleep(10 * time.Millisecond)
					}
				}
				a.end()
				if n := a.refused(); n > 0 {
					t.Errorf("%d of %d of the reader's were refused", n, a.requests)
				}
			})
		})
	}
}

// TestKnownKeysGoFirst: while 50 addresses request unknown items, no read of a popular key
// that a write has purged is refused, and each gets the next slot.
func TestKnownKeysGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttacked(t)
		const popular = 8
		for n := range popular {
			a.readAll()
			if !a.release(http.StatusOK, readers) {
				t.Fatalf("read %d was not made", n)
			}
		}
		attackers := func(r *http.Request) bool { return !readers(r) }
		clientOf := func(c int) string { return fmt.Sprintf("198.51.100.%d:4000", c%50) }
		a.attackFrom(clientOf, 200, func(c, n int) (string, string) { return fmt.Sprintf("GET /events/by-slug/x-%d-%d", c, n), "" })
		if n := a.underWay(attackers); n != 64 {
			t.Fatalf("%d calls of the attackers", n)
		}
		a.entries.Purge(t.Context(), cache.Purge{All: true})
		a.requests = 0
		a.began = 0
		for range popular {
			a.readAll()
		}
		for n := range popular {
			a.release(http.StatusNotFound, attackers)
			if a.began != n+1 {
				t.Errorf("%d known reads under way, want %d", a.began, n+1)
			}
		}
		a.end()
		if n := a.refused(); n > 0 {
			t.Errorf("%d of %d were refused", n, a.requests)
		}
	})
}

// TestJoinedCallIsShed: a client that waits for the call of another one is not refused with that call. It
// makes its own.
func TestJoinedCallIsShed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttacked(t)
		a.attack(83, func(c, n int) (string, string) { return fmt.Sprintf("GET /events?search=%d-%d", c, n), "" })
		a.attack(1, func(int, int) (string, string) { return "GET /events/71", "" }) // which the reader will request
		a.readAll()
		time.Sleep(time.Second) // in the queue
		synctest.Wait()
		if a.began != 1 {
			t.Errorf("%d calls of the reader", a.began)
		}
		a.end()
		if n := a.refused(); n > 0 {
			t.Error("refused")
		}
	})
}

// TestFailuresOfOneClient: the breaker does not open for others because of a client whose requests
// make the site fail five times a second.
func TestFailuresOfOneClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttacked(t)
		a.free = func(r *http.Request) int {
			if readers(r) {
				return http.StatusOK
			}
			return http.StatusInternalServerError
		}
		for n := range 300 {
			a.send(attacker, fmt.Sprintf("GET /events?search=%d", n))
			if n%5 == 0 {
				a.readAll()
			}
			time.Sleep(200 * time.Millisecond)
		}
		if n := a.refused(); n > 0 {
			t.Errorf("%d of %d of the reader's were refused", n, a.requests)
		}
		a.clients.Wait()
	})
}

// TestRollsBackForAnyNumberOfClients: 20 failures of 20 responses roll back, whether the candidate
// failed or a breaker spared it the call, and however many clients they are for.
func TestRollsBackForAnyNumberOfClients(t *testing.T) {
	for _, clients := range []int{1, 2, 100} {
		t.Run(fmt.Sprint(clients), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var matrix *staging.Matrix
				a := newAttacked(t, func(o *proxy.Options) {
					matrix = staging.NewMatrix(time.Now, nil)
					o.Backends = []proxy.BackendOptions{{
						Name: "new", Dialect: mapping.API{Dialect: mapping.Neutral},
						Upstreams: map[string]string{"en": "http://candidate.example/wp-json"},
					}}
					o.Staging = &proxy.StagingOptions{Candidate: "new", Matrix: matrix}
					matrix.Configure(staging.Plan{
						Candidate: proxy.CandidateOf(o.Backends[0]), Cells: staging.Cells(mapping.Resources(), o.Site.Codes()),
						Rules: facadetest.Everywhere(staging.New), Rollback: staging.Rollback{Errors: 20, Calls: 20, Window: time.Minute},
					})
				})
				a.free = func(r *http.Request) int {
					if r.URL.Host == "candidate.example" {
						return dead
					}
					return http.StatusOK
				}
				send := func(n, want int) {
					t.Helper()
					client := fmt.Sprintf("198.51.100.%d:4000", n%clients)
					if w := a.send(client, fmt.Sprintf("GET /events/%d", n+1)); w.Code != want {
						t.Errorf("request %d: %d, want %d", n+1, w.Code, want)
					}
				}
				for n := range 20 {
					send(n, http.StatusServiceUnavailable)
				}
				if n := matrix.Snapshot().Rollbacks; n != 1 {
					t.Errorf("%d rollbacks", n)
				}
				send(20, http.StatusOK)
			})
		})
	}
}

// TestFailedSignIns: a client with credentials that the site refuses too often may not try any
// for a while. Others may, and so may it without credentials.
func TestFailedSignIns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttacked(t)
		status := http.StatusUnauthorized
		calls := 0
		a.free = func(*http.Request) int { calls++; return status }
		want := func(client, line string, want int, header ...string) {
			t.Helper()
			if w := a.send(client, line, header...); w.Code != want ||
				(w.Code == http.StatusTooManyRequests) != (w.Header().Get("Retry-After") != "") {
				t.Errorf("%s %s: %d %s, want %d", client, line, w.Code, w.Header().Get("Retry-After"), want)
			}
		}
		const basic = "Authorization: Basic eDp5"
		status = http.StatusForbidden // of a user without permission
		for range 40 {
			want(attacker, "DELETE /events/5", status, basic)
		}
		status = http.StatusUnauthorized
		for range 30 {
			want(attacker, "GET /events/5", status, basic)
		}
		calls = 0
		for _, line := range []string{"GET /events/5", "HEAD /events/5", "DELETE /events/5"} {
			want(attacker, line, http.StatusTooManyRequests, basic)
		}
		want(attacker, "GET /events/5?password=x", http.StatusTooManyRequests)
		if calls > 0 {
			t.Errorf("%d calls", calls)
		}
		want(reader, "GET /events/5", status, basic)
		status = http.StatusOK
		want(attacker, "GET /events/5", status)
		time.Sleep(time.Minute)
		want(attacker, "GET /events/5", status, basic)
	})
}
