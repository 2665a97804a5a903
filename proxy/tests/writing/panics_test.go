package writing_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/upstream"
	"github.com/google/go-cmp/cmp"
)

// buggy panics while enabled is set.
type buggy struct {
	http.RoundTripper
	enabled *atomic.Bool
}

func (b buggy) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.enabled.Load() {
		panic("a bug")
	}
	return b.RoundTripper.RoundTrip(r)
}

// TestPanics: after a panic the response is an error or stale, and the panic is logged; also
// in a refresh, which has no client. The outcome of a write is unknown.
func TestPanics(t *testing.T) {
	var log facadetest.Records
	var enabled atomic.Bool
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		o.Log = log.Logger()
		o.Requests = "none"
		o.Freshness.TTL = map[string]time.Duration{"events": time.Minute}
		o.Upstream.Wrap = func(t http.RoundTripper) http.RoundTripper {
			return buggy{
				RoundTripper: t,
				enabled:      &enabled,
			}
		}
	})
	f.Want("GET /events/5", "200 fwd=uri-miss; stored calls 1")
	enabled.Store(true)
	f.Want("GET /events/6", "500  calls 0")
	f.Want("GET /events/6", "500 fwd=bypass calls 0", "Authorization: Basic YTpi")
	f.Want("DELETE /events/6", "504 fwd=method calls 0")
	f.Now.Add(int64(2 * time.Minute))
	f.Want("GET /events/5", "200 hit detail=stale-while-revalidate calls 0")
	log.Wait(t, 4)
	f.Now.Add(int64(10 * time.Minute))
	f.Want("GET /events/5", "200 hit detail=stale-if-error calls 0")
	for _, r := range log.Wait(t, 5) {
		if diff := cmp.Diff("a bug", r["cause"]); diff != "" {
			t.Error(diff)
		}
	}
	enabled.Store(false)
	f.Want("GET /events/5", "200 fwd=stale; stored calls 1")
}

// buggyLater panics, while enabled is set, when the site has answered.
type buggyLater struct {
	http.RoundTripper
	enabled *atomic.Bool
}

func (b buggyLater) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if b.enabled.Load() {
		panic("a bug")
	}
	return res, err
}

// TestPanicOfAWrite: after a panic in a write that was sent its outcome is unknown. The
// client learns that, the write is not sent again, and its tags are purged.
func TestPanicOfAWrite(t *testing.T) {
	for _, write := range []string{"DELETE /events/5", "PUT /events/5 {\"title\":\"x\"}", "POST /events " + facadetest.AnEvent} {
		var enabled atomic.Bool
		f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
			o.UpdatesAsIs = true // no read before the write
			o.Upstream.Retries = 2
			o.Upstream.Wrap = func(t http.RoundTripper) http.RoundTripper {
				return buggyLater{
					RoundTripper: t,
					enabled:      &enabled,
				}
			}
		})
		f.Answers(facadetest.Answer(http.StatusOK, `{"events":[{"id":5}],"total":1}`))
		f.Want("GET /events", "200 fwd=uri-miss; stored calls 1")
		f.Want("GET /events", "200 hit calls 0")
		f.Accepts(facadetest.Editor)
		enabled.Store(true)
		calls := f.Calls.Load()
		res, body := f.Send(write, facadetest.Editor)
		if res.StatusCode != http.StatusGatewayTimeout || !strings.Contains(body, `"calendar_write_outcome_unknown"`) ||
			f.Calls.Load() != calls+1 {
			t.Errorf("%s: %d after %d calls: %s", write, res.StatusCode, f.Calls.Load()-calls, body)
		}
		enabled.Store(false)
		f.Want("GET /events", "200 fwd=uri-miss; stored calls 1")
	}
}

// TestPanicOfAProbe: the breaker does not wait for its outcome.
func TestPanicOfAProbe(t *testing.T) {
	var enabled atomic.Bool
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		o.Upstream.Breaker = upstream.BreakerOptions{Failures: 1, Open: time.Nanosecond}
		o.Upstream.Wrap = func(t http.RoundTripper) http.RoundTripper {
			return buggy{
				RoundTripper: t,
				enabled:      &enabled,
			}
		}
	})
	f.Answers(facadetest.Answer(http.StatusInternalServerError, "{}"))
	f.Want("GET /events/5", "502  calls 1")
	f.Answers(facadetest.Entitled("x"))
	enabled.Store(true)
	f.Want("GET /events/5", "500  calls 0")
	enabled.Store(false)
	f.Want("GET /events/5", "200 fwd=uri-miss; stored calls 1")
}

// TestPanicOfAComparison: it ends neither the process nor the next comparison.
func TestPanicOfAComparison(t *testing.T) {
	var log facadetest.Records
	f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.Shadow), staging.Rollback{}, func(o *proxy.Options) {
		o.Log = log.Logger()
		o.Requests = "none"
		facadetest.StagingOf(o).Limits.Concurrency = 1
		facadetest.StagingOf(o).Findings = nil
	})
	f.Send("GET /events/5")
	f.Send("GET /events/6")
	log.Wait(t, 2)
}
