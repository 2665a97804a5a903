package freshness_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/freshness"
)

// outside is a shared cache in front of a facade, on its virtual clock. It obeys RFC 9111, RFC
// 5861 and RFC 9213 to the letter, and serves stored responses for as long as it may.
type outside struct {
	*facadetest.CachedFacade
	reads  string // the field that it prefers
	stored *outsideEntry

	down, overtake atomic.Bool  // of the site; overtake: a purge overtakes the next fetch
	unreachable    bool         // the facade
	slow           atomic.Int64 // how long the next fetch takes
	write          *cache.Announcement
	hard, soft     time.Duration // when the last purges were
	did            map[string]int
}

// outsideEntry is a stored response. Times are since start.
type outsideEntry struct {
	tag                  string
	begun                time.Duration // when its fetch began at the facade
	received, age        time.Duration // when it was received, and how old it was
	fresh, while, onFail time.Duration
}

const (
	outsideFresh, outsideWhile, outsideOnFail = 20 * time.Second, 15 * time.Second, 90 * time.Second
	outsideTag                                = "events:5"
)

func newOutside(t *testing.T, o freshness.Surrogate, while time.Duration) *outside {
	s := &outside{reads: o.Lifetime, hard: -1, soft: -1, did: map[string]int{}}
	s.CachedFacade = facadetest.NewCachedFacade(t, func(options *proxy.Options) {
		options.Surrogate = o
		options.Freshness.TTL = map[string]time.Duration{"events": outsideFresh}
		options.Freshness.StaleWhileRevalidate, options.Freshness.StaleIfError = while, outsideOnFail
	})
	s.Answers(func(w http.ResponseWriter, r *http.Request) {
		begun := s.Now.Load()
		s.Pass(time.Duration(s.slow.Swap(0)))
		if s.overtake.Swap(false) {
			s.purge(false)
		}
		if s.down.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		facadetest.Answer(http.StatusOK, fmt.Sprintf(`{"id":5,"title":"made %d"}`, begun))(w, r)
	})
	return s
}

func (s *outside) since() time.Duration { return time.Duration(s.Now.Load()) }

// purge purges the item here, and out there if it is stored there.
func (s *outside) purge(soft bool) {
	s.purges(soft)
	s.Cache.Purge(s.T.Context(), cache.Purge{Tags: []string{outsideTag}, Soft: soft})
}

// purges notes the time before a purge: a refresh in the background that begins right after the
// purge is later.
func (s *outside) purges(soft bool) {
	s.stored = nil
	if soft {
		s.soft = s.since()
	} else {
		s.hard = s.since()
	}
	s.Pass(time.Millisecond)
}

// request serves a request as RFC 9111 and RFC 5861 permit.
func (s *outside) request() {
	e := s.stored
	if e == nil {
		s.fetch()
		return
	}
	switch age := e.ageAt(s.since()); {
	case age < e.fresh:
		s.served("fresh", e, outsideFresh)
	case age < e.fresh+e.while:
		s.served("while revalidating", e, outsideFresh+outsideWhile)
		s.fetch()
	default:
		if !s.fetch() && s.stored == e && e.ageAt(s.since()) < e.fresh+e.onFail {
			s.served("on error", e, outsideFresh+outsideOnFail)
		}
	}
}

func (e *outsideEntry) ageAt(now time.Duration) time.Duration { return e.age + now - e.received }

// served checks a response that was served without the facade.
func (s *outside) served(outcome string, e *outsideEntry, life time.Duration) {
	s.did[outcome]++
	now := s.since()
	if now-e.begun >= life || e.begun <= s.hard || outcome == "fresh" && e.begun <= s.soft {
		s.T.Fatalf("served %s at %s: made at %s, purged at %s, softly at %s: %+v", outcome, now, e.begun, s.hard, s.soft, e)
	}
}

var madeAt = regexp.MustCompile(`made (\d+)`)

// fetch asks the facade, and stores the response if that is permitted. It returns false for an
// error of the facade.
func (s *outside) fetch() bool {
	r := httptest.NewRequest(http.MethodGet, "/wp-json/calendar/events/v1/events/5", nil)
	if s.stored != nil {
		r.Header.Set("If-None-Match", s.stored.tag)
	}
	if s.unreachable {
		s.did["error"]++
		return false
	}
	start := s.since()
	w := httptest.NewRecorder()
	s.Facade.ServeHTTP(w, r)
	res := w.Result()
	pending := s.write != nil
	if res.StatusCode >= 500 {
		s.did["error"]++
		return false
	}
	e, ok := s.parse(res, s.since()-start, pending)
	switch {
	case !ok:
		s.did["not stored"]++
		s.stored = nil
		return true
	case res.StatusCode == http.StatusNotModified:
		s.did["not modified"]++
		e.begun = s.stored.begun
	default:
		text := madeAt.FindStringSubmatch(w.Body.String())
		n, err := strconv.ParseInt(text[1], 10, 64)
		if err != nil {
			s.T.Fatal(err)
		}
		e.begun = time.Duration(n)
	}
	s.stored = e
	return true
}

// parse returns the times of a response, and compares them with the facade's, which
// Cache-Status reports. took is how long the facade took. ok is false if the response must not be
// served again without a request.
func (s *outside) parse(res *http.Response, took time.Duration, pending bool) (e *outsideEntry, ok bool) {
	for name, values := range res.Header { // in the spelling of net/http's server
		res.Header[http.CanonicalHeaderKey(name)] = values
	}
	field := cmp.Or(s.reads, "Cache-Control")
	status := res.Header.Get("Cache-Status")
	if s.reads == freshness.AccelExpires {
		field = "Cache-Control"
	}
	directives := map[string]int{}
	for item := range strings.SplitSeq(res.Header.Get(field), ", ") {
		name, value, _ := strings.Cut(item, "=")
		directives[name], _ = strconv.Atoi(value)
	}
	_, noCache := directives["no-cache"]
	_, noStore := directives["no-store"]
	lifetime, bounded := directives["s-maxage"]
	if !bounded {
		lifetime, bounded = directives["max-age"]
	}
	age, _ := strconv.Atoi(res.Header.Get("Age"))
	if s.reads == freshness.AccelExpires { // nginx
		lifetime, _ = strconv.Atoi(res.Header.Get("X-Accel-Expires"))
		age = 0
		noStore = noStore || lifetime == 0
	}
	if !bounded && !noCache && !noStore {
		s.T.Fatalf("no lifetime: %v", res.Header)
	}
	if pending || !strings.Contains(status, "hit") && !strings.Contains(status, "stored") {
		s.did["must not be stored"]++
		if !noCache && !noStore {
			s.T.Fatalf("pending: %t, overtaken: %s: %v", pending, status, res.Header)
		}
	}
	if noCache || noStore {
		return nil, false
	}
	s.compare(status, lifetime-age, directives["stale-while-revalidate"], directives["stale-if-error"], took)
	return &outsideEntry{
		tag: res.Header.Get("Etag"), received: s.since(), age: inSeconds(age), fresh: inSeconds(lifetime),
		while: inSeconds(directives["stale-while-revalidate"]), onFail: inSeconds(directives["stale-if-error"]),
	}, true
}

func inSeconds(n int) time.Duration { return time.Duration(n) * time.Second }

var leftInStatus = regexp.MustCompile(`ttl=(-?\d+)`)

// compare compares the seconds that are left of a response with the rest here. Cache-Status
// has it rounded towards zero.
func (s *outside) compare(status string, remaining, while, onFail int, took time.Duration) {
	n, err := strconv.Atoi(leftInStatus.FindStringSubmatch(status)[1])
	if err != nil {
		s.T.Fatal(err)
	}
	if strings.Contains(status, "detail") {
		n-- // a stale one
	}
	if remaining > max(n, 0) || remaining+while > max(n+int(outsideWhile/time.Second), 0) ||
		remaining+onFail > max(n+int(outsideOnFail/time.Second), 0) {
		s.T.Fatalf("%d s left, %d and %d stale, after %s, but here %s", remaining, while, onFail, took, status)
	}
}

// step does something at random.
func (s *outside) step(random *rand.Rand, slow bool) {
	chance := func(percent int) bool { return random.IntN(100) < percent }
	switch {
	case chance(8):
		s.down.Store(!s.down.Load())
	case chance(8):
		s.unreachable = !s.unreachable
	case chance(4):
		s.purge(false)
	case !slow && chance(6):
		s.purge(true)
	case chance(4) && s.write == nil:
		s.write = s.Cache.Announce(s.T.Context(), []string{outsideTag})
		s.stored = nil // its purge comes soon
	case chance(40) && s.write != nil:
		if chance(50) {
			s.write.Withdraw()
		} else {
			s.purges(false)
			s.write.Purge(s.T.Context(), cache.Purge{Tags: []string{outsideTag}})
		}
		s.write = nil
	case slow && chance(20):
		s.slow.Store(int64(random.IntN(4_000_000_000)))
	case slow && chance(5):
		s.overtake.Store(true)
	}
	s.Pass(time.Duration(random.IntN(3_000_000_000)))
	if chance(5) {
		s.Pass(time.Duration(random.IntN(60_000_000_000)))
	}
	s.request()
}

// TestOutsideNeverLater: whatever happens, a cache in front never serves a response later than the
// facade would, nor as fresh what has become stale here.
func TestOutsideNeverLater(t *testing.T) {
	for name, o := range map[string]freshness.Surrogate{
		"tags":              {Tags: "xkey", MaxAge: freshness.Unlimited, SMaxAge: freshness.Unlimited},
		"the defaults":      {Tags: "none", Lifetime: "cache-control", SMaxAge: freshness.Unlimited}, // nobody purges
		"limits":            {MaxAge: 5 * time.Second, SMaxAge: 12 * time.Second},
		"cdn-cache-control": {Lifetime: freshness.CDNCacheControl, SMaxAge: freshness.Unlimited},
		"x-accel-expires":   {Lifetime: freshness.AccelExpires, MaxAge: freshness.Unlimited, SMaxAge: freshness.Unlimited},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			did := map[string]int{}
			for seed := range uint64(6) {
				// A slow fetch moves the clock. A refresh in the background would do so at any time, so
				// seeds with slow fetches are without: no stale-while-revalidate, and no soft purges.
				slow := seed%2 == 0
				while := outsideWhile
				if slow {
					while = 0
				}
				s := newOutside(t, o, while)
				random := rand.New(rand.NewPCG(seed, 1))
				for range 400 {
					s.step(random, slow)
				}
				for outcome, n := range s.did {
					did[outcome] += n
				}
			}
			keeps := map[string]bool{
				"fresh": o.Active(), "while revalidating": o.Active() && name != "limits", "on error": o.Active() && name != "limits",
				"error": true, "must not be stored": true,
			}
			for outcome, want := range keeps {
				if (did[outcome] != 0) != want {
					t.Errorf("%d were %s, want any: %t", did[outcome], outcome, want)
				}
			}
		})
	}
}
