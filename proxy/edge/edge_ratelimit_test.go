package edge_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/google/go-cmp/cmp"
)

// limitedFacade is a facade with a rate limit and a clock that the test sets.
type limitedFacade struct {
	t      *testing.T
	facade http.Handler
	now    time.Time
}

func newLimited(t *testing.T, e edge.Options) *limitedFacade {
	l := &limitedFacade{t: t, now: facadetest.Start}
	o := facadetest.NewScenario(t).Options
	o.Edge = e
	o.Clock = func() time.Time { return l.now }
	l.facade = proxy.New(o)
	return l
}

// send sends a request with a local response, or for no row.
func (l *limitedFacade) send(method, peer string, header ...string) *http.Response {
	l.t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, "/de/wp-json/calendar/events/v1", nil)
	r.RemoteAddr = peer
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	l.facade.ServeHTTP(w, r)
	facadetest.CheckLeaks(l.t, w.Result().Header, w.Body.Bytes())
	return w.Result()
}

// spelled returns a field with a name that net/http would spell differently.
func spelled(res *http.Response, name string) string { return strings.Join(res.Header[name], "") }

func (l *limitedFacade) want(method, peer, want string) {
	l.t.Helper()
	res := l.send(method, peer)
	got := fmt.Sprint(res.StatusCode, " ", spelled(res, "RateLimit"), " ", res.Header.Get("Retry-After"))
	if got != want {
		l.t.Errorf("%s %s: got %s, want %s", method, peer, got, want)
	}
}

func TestRateLimit(t *testing.T) {
	l := newLimited(t, edge.Options{
		Reads:  edge.Quota{Requests: 3, Window: time.Minute},
		Writes: edge.Quota{Requests: 1, Window: time.Hour},
	})
	const ann, bob = "203.0.113.9:1", "203.0.113.10:1"
	l.want("GET", ann, `200 "reads";r=2;t=20 `)
	l.want("HEAD", ann, `200 "reads";r=1;t=40 `)
	l.want("OPTIONS", ann, `200 "reads";r=0;t=60 `)
	l.want("GET", ann, `429 "reads";r=0;t=60 20`)
	l.want("GET", ann, `429 "reads";r=0;t=60 20`)
	l.want("GET", bob, `200 "reads";r=2;t=20 `)
	l.want("POST", ann, `405 "writes";r=0;t=3600 `)
	l.want("DELETE", ann, `429 "writes";r=0;t=3600 3600`)

	res := l.send("GET", ann)
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	const refusal = `{"code":"calendar_rate_limited","message":"Zu viele Anfragen. Retry-After gibt an, wann es weitergeht.",` +
		`"data":{"status":429}}`
	if diff := cmp.Diff(refusal, string(body)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got, want := spelled(res, "RateLimit-Policy"), `"reads";q=3;w=60`; got != want {
		t.Errorf("RateLimit-Policy is %s, want %s", got, want)
	}

	l.now = l.now.Add(19 * time.Second)
	l.want("GET", ann, `429 "reads";r=0;t=41 1`)
	l.now = l.now.Add(time.Second)
	l.want("GET", ann, `200 "reads";r=0;t=60 `)
	l.now = l.now.Add(time.Hour)
	l.want("GET", ann, `200 "reads";r=2;t=20 `)
}

// TestRateLimitOff: without a quota there are no fields of one.
func TestRateLimitOff(t *testing.T) {
	l := newLimited(t, edge.Options{Writes: edge.Quota{Requests: 1, Window: time.Hour}})
	for range 10 {
		if res := l.send("GET", "203.0.113.9:1"); res.StatusCode != http.StatusOK || spelled(res, "RateLimit-Policy") != "" {
			t.Fatalf("%d %v", res.StatusCode, res.Header)
		}
	}
}

// TestRateLimitClient: the client that a request counts for.
func TestRateLimitClient(t *testing.T) {
	for _, test := range []struct {
		name, first, second string
		equal               bool
		header              [2]string
	}{
		{name: "ports", first: "203.0.113.9:1", second: "203.0.113.9:2", equal: true},
		{name: "neighbours", first: "203.0.113.9:1", second: "203.0.113.10:1"},
		{name: "one /64", first: "[2001:db8:1:2::1]:1", second: "[2001:db8:1:2:ffff::9]:1", equal: true},
		{name: "two /64", first: "[2001:db8:1:2::1]:1", second: "[2001:db8:1:3::1]:1"},
		{name: "IPv4 in IPv6", first: "[::ffff:203.0.113.9]:1", second: "203.0.113.9:1", equal: true},
		{name: "neighbours in IPv6", first: "[::ffff:203.0.113.9]:1", second: "[::ffff:203.0.113.10]:1"},
		{name: "spoofed", first: "203.0.113.9:1", second: "203.0.113.9:1", equal: true,
			header: [2]string{"X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 1.1.1.2"}},
		{name: "behind a proxy", first: "10.0.0.1:1", second: "10.0.0.1:1",
			header: [2]string{"X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 1.1.1.2"}},
		{name: "behind two", first: "10.0.0.1:1", second: "10.0.0.2:1", equal: true,
			header: [2]string{"X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 6.6.6.6, 1.1.1.1, 10.0.0.1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLimited(t, edge.Options{
				Reads: edge.Quota{Requests: 1, Window: time.Hour},
				Trust: edge.Trust{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}},
			})
			if got := l.send("GET", test.first, test.header[0]).StatusCode; got != http.StatusOK {
				t.Fatalf("first: %d", got)
			}
			want := http.StatusOK
			if test.equal {
				want = http.StatusTooManyRequests
			}
			if got := l.send("GET", test.second, test.header[1]).StatusCode; got != want {
				t.Errorf("second: %d, want %d", got, want)
			}
		})
	}
}

// sharedQuota is the count of another instance.
type sharedQuota struct {
	mu   sync.Mutex
	keys []string
	got  redisstore.Allowance
	err  error
}

func (s *sharedQuota) Take(_ context.Context, key string, interval time.Duration, burst int) (redisstore.Allowance, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = append(s.keys, fmt.Sprint(key, " ", interval, " ", burst))
	return s.got, s.err
}

// TestRateLimitShared: the count of all instances decides, or the count of this instance if the
// shared one is not available. This instance alone refuses a flood.
func TestRateLimitShared(t *testing.T) {
	shared := &sharedQuota{got: redisstore.Allowance{Left: 1, Full: 30 * time.Second}}
	l := newLimited(t, edge.Options{Reads: edge.Quota{Requests: 3, Window: time.Minute}, Shared: shared})
	const ann = "[2001:db8:1:2::1]:1"
	l.want("GET", ann, `200 "reads";r=1;t=30 `)
	shared.got = redisstore.Allowance{Wait: 5 * time.Second, Full: time.Minute}
	l.want("GET", ann, `429 "reads";r=0;t=60 5`)
	shared.err = errors.New("down")
	l.want("GET", ann, `200 "reads";r=0;t=60 `)
	l.want("GET", ann, `429 "reads";r=0;t=60 20`)
	want := []string{"reads 2001:db8:1:2:: 20s 3", "reads 2001:db8:1:2:: 20s 3", "reads 2001:db8:1:2:: 20s 3"}
	if diff := cmp.Diff(want, shared.keys); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}
