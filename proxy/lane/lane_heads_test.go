package lane_test

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/freshness"
)

// TestHeadsAreWeighed: what the lane prepares of an answer is counted with it, is the same
// for all spellings of the request, and goes with the answer.
func TestHeadsAreWeighed(t *testing.T) {
	s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, nil)
	c := s.Dial()
	const target = "/wp-json/calendar/events/v1/events/5"
	spell := func(n int) string { return fmt.Sprintf("%s?spelling=%d", target, n) }
	warm := func(spelling int) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Address+spell(spelling), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Close = true
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	warm(0)
	alone := s.Cache.Stats().Bytes
	inLane := func(spelling int, fields ...string) {
		t.Helper()
		handled := s.Handled.Load()
		if res, _ := c.Get(spell(spelling), fields...); res.StatusCode != http.StatusOK || s.Handled.Load() != handled {
			t.Fatalf("%s, handled %d", res.Status, s.Handled.Load()-handled)
		}
	}
	inLane(0)
	weight := s.Cache.Stats().Bytes - alone
	if weight < 300 || weight > 3000 {
		t.Errorf("the head of an answer takes %d bytes", weight)
	}
	inLane(0, "Accept-Encoding: gzip")
	two := s.Cache.Stats().Bytes - alone
	if two <= weight {
		t.Errorf("two heads take %d bytes, one %d", two, weight)
	}
	for i := range 20 {
		warm(i)
		inLane(i)
		inLane(i, "Accept-Encoding: gzip")
	}
	if got := s.Cache.Stats().Bytes - alone; got != two {
		t.Errorf("after 20 spellings heads take %d bytes, and %d before", got, two)
	}
	s.Cache.Purge(t.Context(), cache.Purge{All: true})
	warm(0)
	if got := s.Cache.Stats().Bytes; got >= alone+weight {
		t.Errorf("%d bytes after a purge, and %d before there were heads", got, alone)
	}
}

// TestHeadsAreOfOneFacade: another one that has the same answers has others.
func TestHeadsAreOfOneFacade(t *testing.T) {
	site := facadetest.NewLaneSite(t)
	plain := facadetest.NewLaneSide(t, site, true, nil)
	strict := facadetest.NewLaneSide(t, site, true, func(o *proxy.Options, _ *http.Server) { o.Edge.CORS = edge.CORS{} })
	a := plain.Dial()
	b := strict.Dial()
	for range 3 {
		for _, side := range []struct {
			c    *facadetest.LaneClient
			want string
		}{{a, "*"}, {b, ""}} {
			if res, _ := side.c.Get("/wp-json/calendar/events/v1/events/5"); res.Header.Get("Access-Control-Allow-Origin") != side.want {
				t.Errorf("Access-Control-Allow-Origin: %q, want %q", res.Header.Get("Access-Control-Allow-Origin"), side.want)
			}
		}
	}
}

// TestHeadsOfPendingWrites: while a write is in progress, hits that it may change are in the lane, and no
// other cache may store them.
func TestHeadsOfPendingWrites(t *testing.T) {
	t.Parallel()
	s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, func(o *proxy.Options, _ *http.Server) {
		o.Surrogate = freshness.Surrogate{
			Tags: "xkey", Lifetime: freshness.AccelExpires, MaxAge: freshness.Unlimited, SMaxAge: freshness.Unlimited,
		}
	})
	c := s.Dial()
	get := func() string {
		t.Helper()
		handled := s.Handled.Load()
		res, _ := c.Get("/wp-json/calendar/events/v1/events/5", "Accept-Encoding: gzip")
		if res.StatusCode != http.StatusOK || s.Handled.Load() != handled {
			t.Fatalf("not in the lane: %s", res.Status)
		}
		return fmt.Sprintf("%.8s, %q, %.2s", res.Header.Get("Cache-Control"), res.Header.Get("Xkey"), res.Header.Get("X-Accel-Expires"))
	}
	calm := get()
	if !regexp.MustCompile(`^max-age=, "all events:5 events:any", 3\d$`).MatchString(calm) {
		t.Errorf("a hit: %s", calm)
	}
	write := s.Cache.Announce(t.Context(), []string{"events:5"})
	if got := get(); got != `no-cache, "", 0` {
		t.Errorf("a hit during a pending write: %s", got)
	}
	write.Withdraw()
	if got := get(); got != calm {
		t.Errorf("a hit after that: %s, before: %s", got, calm)
	}
}
