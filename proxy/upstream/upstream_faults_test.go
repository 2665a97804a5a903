package upstream_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/upstream"
	"github.com/google/go-cmp/cmp"
)

const (
	down         = "503 calendar_upstream_unavailable"
	downAnHour   = down + " after 3600"
	failedAnHour = "502 calendar_upstream_failed after 3600"
)

// TestOpenBreaker: the site gets no calls for that language, and all clients get a Retry-
// After.
func TestOpenBreaker(t *testing.T) {
	for name, does := range map[string]facadetest.Script{
		"500":      facadetest.Says(facadetest.Response(500, "", ""), true),
		"hangs up": facadetest.Says("", false),
		"hangs":    hangs(""),
	} {
		site := facadetest.NewRawSite(t, does)
		d := site.Facade(func(o *proxy.Options) {
			facadetest.Breaks(o)
			if name == "hangs" {
				firstByteSoon(o)
			}
		})
		for range 4 {
			d.Send("GET /events/5")
		}
		site.AwaitSends(4)
		site.Does(fine)
		for _, line := range []string{"GET /events/5", "GET /events", "DELETE /events/5", "PUT /events/5 {}"} {
			d.Want(line, downAnHour)
		}
		if got := site.Sends.Load(); got != 4 {
			t.Errorf("%s: sent %d, want 4", name, got)
		}
		if name != "hangs" { // there the timeout may run out
			d.Want("GET /es/events/5", "200")
		}
	}
}

// TestBreakerStaysClosed: failures that are no fault of the site do not open the breaker.
func TestBreakerStaysClosed(t *testing.T) {
	for name, does := range map[string]facadetest.Script{
		"400": facadetest.Says(facadetest.Response(400, "", "{}"), true), "404": facadetest.Says(facadetest.Response(404, "", "{}"), true),
		"429 without a time": facadetest.Says(facadetest.Response(429, "", "{}"), true),
		"page":               facadetest.Says(facadetest.Response(200, "", "<html>"), true),
		"too much":           facadetest.Says(facadetest.Response(200, "", strings.Repeat("x", 5000)), true),
	} {
		site := facadetest.NewRawSite(t, does)
		d := site.Facade(func(o *proxy.Options) { facadetest.Breaks(o); o.Upstream.MaxBody = 4096 })
		for range 6 {
			d.Send("GET /events/5")
		}
		if got := site.Sends.Load(); got != 6 {
			t.Errorf("%s: sent %d, want 6", name, got)
		}
	}
}

// TestAbortedRequestsDoNotOpenTheBreaker: clients disconnect while the site works.
func TestAbortedRequestsDoNotOpenTheBreaker(t *testing.T) {
	arrived := make(chan bool)
	site := facadetest.NewRawSite(t, func(s *facadetest.RawSite, c net.Conn, n int) bool {
		arrived <- true
		return hangs("")(s, c, n)
	})
	d := site.Facade(facadetest.Breaks)
	for range 6 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan bool)
		go func() {
			defer close(done)
			d.SendAs(ctx, "GET /events/5")
		}()
		<-arrived
		cancel()
		<-done
	}
	site.Does(fine)
	d.Want("GET /events/5", "200")
}

// TestStaleAtOnce: a stale response is served without a call and without a wait if the
// breaker is open, or no slot is free.
func TestStaleAtOnce(t *testing.T) {
	site := facadetest.NewRawSite(t, fine)
	o := facadetest.FaultOptions(site.URL)
	facadetest.Breaks(&o)
	d, clock := site.StaleFacade(o)
	d.Want("GET /events/5", "200")
	clock.Pass(10 * time.Minute)
	site.Does(facadetest.Says(facadetest.Response(500, "", ""), true))
	for _, want := range []string{"502 calendar_upstream_failed", "502 calendar_upstream_failed", "502 calendar_upstream_failed",
		failedAnHour, downAnHour} {
		d.Want("GET /venues/5", want)
	}
	sends := site.Sends.Load()
	for range 3 {
		d.Want("GET /events/5", "200 stale-if-error")
	}
	if got := site.Sends.Load() - sends; got != 0 {
		t.Errorf("sent %d, want 0", got)
	}
}

// TestShedding: while the only slot is in use, a read with a stale response serves it, other
// reads and writes get a Retry-After, and nothing is sent.
func TestShedding(t *testing.T) {
	site := facadetest.NewRawSite(t, fine)
	o := facadetest.FaultOptions(site.URL)
	o.Upstream.MaxConcurrent = 1
	var shed atomic.Int32
	o.Upstream.Called = func(c upstream.Attempt) {
		if c.Root == "en" && c.Failure == upstream.NotQueued {
			shed.Add(1)
		}
	}
	d, clock := site.StaleFacade(o)
	d.Want("GET /events/5", "200")
	clock.Pass(10 * time.Minute)
	arrived := make(chan bool)
	release := make(chan bool)
	site.Does(func(s *facadetest.RawSite, c net.Conn, n int) bool {
		arrived <- true
		<-release
		return fine(s, c, n)
	})
	held := make(chan string)
	go func() { held <- d.Send("GET /venues/5") }()
	<-arrived
	d.Want("GET /events/5", "200 stale-if-error")
	d.Want("GET /events/7", down+" after 1")
	d.Want("DELETE /events/7", down+" after 1")
	d.Want("GET /es/events/7", down+" after 1") // on the same host
	if got := d.Upstreams()[0]; got.InFlight != 1 || shed.Load() != 3 {
		t.Errorf("%d shed, state %+v", shed.Load(), got)
	}
	release <- true
	if got := <-held; got != "200" {
		t.Errorf("the call that was under way: %s", got)
	}
	if got := site.Sends.Load(); got != 2 {
		t.Errorf("sent %d, want 2", got)
	}
}

// TestRefreshIsShedFirst: a refresh does not wait where a read may.
func TestRefreshIsShedFirst(t *testing.T) {
	site := facadetest.NewRawSite(t, fine)
	o := facadetest.FaultOptions(site.URL)
	o.Upstream.MaxConcurrent = 1
	o.Upstream.MaxQueue = 4
	o.Upstream.QueueTimeout = time.Hour
	ended := make(chan upstream.Attempt, 10)
	o.Upstream.Called = func(c upstream.Attempt) { ended <- c }
	d, clock := site.StaleFacade(o)
	d.Want("GET /events/5", "200")
	<-ended
	clock.Pass(2 * time.Minute)
	arrived := make(chan bool, 9)
	release := make(chan bool)
	site.Does(func(s *facadetest.RawSite, c net.Conn, n int) bool {
		arrived <- true
		<-release
		return fine(s, c, n)
	})
	answers := make(chan string)
	go func() { answers <- d.Send("GET /venues/5") }()
	<-arrived
	d.Want("GET /events/5", "200 stale-while-revalidate")
	if got := <-ended; got.Failure != upstream.NotQueued {
		t.Errorf("the refresh: %+v", got)
	}
	go func() { answers <- d.Send("GET /organizers/5") }()
	close(release)
	for range 2 {
		if got := <-answers; got != "200" {
			t.Errorf("a read: %s", got)
		}
	}
}

// TestRetryAfterIsHonoured: no calls before the time of Retry-After, to the roots that it
// applies to, for at most MaxRetryAfter, and for as long as a breaker is open after a 503.
func TestRetryAfterIsHonoured(t *testing.T) {
	for _, test := range []struct {
		name, reply, header string
		maximum             time.Duration
		want                string // of the next read
	}{
		{"503", facadetest.Response(503, "Retry-After: 600\r\n", ""), "", time.Hour, down + " after 5"},
		{"503 for less", facadetest.Response(503, "Retry-After: 2\r\n", ""), "", time.Hour, down + " after 2"},
		{"503 not kept", facadetest.Response(503, "Retry-After: 600\r\n", ""), "", 0, "200"},
		{"429", facadetest.Response(429, "Retry-After: 600\r\n", "{}"), "", time.Hour, down + " after 600"},
		{"429 too long", facadetest.Response(429, "Retry-After: 600\r\n", "{}"), "", time.Minute, down + " after 60"},
		{"429 for one client", facadetest.Response(429, "Retry-After: 600\r\n", "{}"), "Authorization: Basic YTpi", time.Hour, "200"},
		{"500", facadetest.Response(500, "Retry-After: 600\r\n", ""), "", time.Hour, "200"},
	} {
		site := facadetest.NewRawSite(t, facadetest.Says(test.reply, true))
		var refused atomic.Int32
		d := site.Facade(func(o *proxy.Options) {
			o.Upstream.MaxRetryAfter = test.maximum
			o.Upstream.Called = func(c upstream.Attempt) {
				if c.Failure == upstream.NotOpened {
					refused.Add(1)
				}
			}
			if test.maximum > 0 {
				o.Upstream.Retries = 1
			}
		})
		header := []string{}
		if test.header != "" {
			header = append(header, test.header)
		}
		d.SendAs(t.Context(), "GET /events/5", header...)
		if refused.Load() != 0 {
			t.Errorf("%s: a retry was to be made before the time", test.name)
		}
		site.Does(fine)
		if got := d.Send("GET /events/5"); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
		want := 1
		if test.want == "200" {
			want = 2
		}
		if got := site.Sends.Load(); int(got) != want {
			t.Errorf("%s: sent %d, want %d", test.name, got, want)
		}
	}
}

// TestRetryBrief: retries are a share of the calls, though each call may be
// tried twice more. The budget begins with ten; 40 calls add a fifth each, but for
// the first, which finds it full.
func TestRetryBudget(t *testing.T) {
	site := facadetest.NewRawSite(t, facadetest.Says(facadetest.Response(502, "", ""), true))
	d := site.Facade(func(o *proxy.Options) { o.Upstream.Retries = 1 })
	for range 40 {
		d.Want("GET /events/5", "502 calendar_upstream_failed")
	}
	if got, want := site.Sends.Load(), int32(40+10+39/5); got != want {
		t.Errorf("sent %d, want %d", got, want)
	}
}

// TestObserver: every attempt is reported, and the log has every outage.
func TestObserver(t *testing.T) {
	site := facadetest.NewRawSite(t, facadetest.Says("", false))
	var mu sync.Mutex
	var reported []string
	report := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		reported = append(reported, s)
	}
	var log facadetest.Records
	d := site.Facade(func(o *proxy.Options) {
		facadetest.Breaks(o)
		o.Log = log.Logger()
		o.Upstream.Retries = 1
		o.Upstream.Called = func(c upstream.Attempt) {
			if c.Took <= 0 && c.Failure != upstream.NotOpened {
				t.Errorf("took %s", c.Took)
			}
			report(fmt.Sprintf("%s: %d %s", c.Root, c.Status, c.Failure))
		}
	})
	d.Send("GET /events/5")
	d.Send("DELETE /events/5")
	site.Does(facadetest.Says(facadetest.Response(500, "", ""), true))
	d.Send("GET /events/5")
	d.Send("GET /events/5")
	site.Does(fine)
	d.Send("GET /es/events/5")
	want := []string{
		"en: 0 broken", "en: 0 broken", // a read and its retry
		"en: 0 broken", // a write
		"en: 500 ", "en: 0 open", "es: 200 ",
	}
	if diff := cmp.Diff(want, reported); diff != "" {
		t.Errorf("reported (-want +got):\n%s", diff)
	}
	state := d.Upstreams()
	if outage := state[0].Outage; outage.Since.IsZero() || outage.Calls != 4 || outage.Cause != "status 500" {
		t.Errorf("the outage is %+v", outage)
	}
	state[0].Outage = upstream.Outage{}
	wantState := []upstream.RootStats{
		{Root: "en", State: upstream.Open, Calls: 4, Failures: 4},
		{Root: "es", State: upstream.Closed, Calls: 1},
	}
	if diff := cmp.Diff(wantState, state); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	i := slices.IndexFunc(log.Wait(t, 6), func(r map[string]any) bool { return r["root"] == "en" && r["reason"] == "status 500" })
	if i < 0 {
		t.Errorf("the log does not tell: %v", log.Logs.All())
	}
}

// TestSharedRoot: languages of one root have one breaker, and languages of one host
// the same places.
func TestSharedRoot(t *testing.T) {
	site := facadetest.NewRawSite(t, facadetest.Says(facadetest.Response(500, "", ""), true))
	d := site.Facade(func(o *proxy.Options) {
		facadetest.Breaks(o)
		o.Site[1].Upstream = o.Site[0].Upstream
	})
	for range 4 {
		d.Send("GET /events/5")
	}
	d.Want("GET /es/events/5", downAnHour)
	if got := len(d.Upstreams()); got != 1 {
		t.Errorf("%d roots, want 1", got)
	}
}
