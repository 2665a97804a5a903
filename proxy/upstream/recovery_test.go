package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// pausedSite is a site whose responses take a second. It counts its calls.
type pausedSite struct {
	status                atomic.Int32 // of its responses; all but 200 have a Retry-After
	calls, underWay, most atomic.Int32 // most is the largest number in progress at once
}

// RoundTrip implements [http.RoundTripper].
func (s *pausedSite) RoundTrip(r *http.Request) (*http.Response, error) {
	s.calls.Add(1)
	if n := s.underWay.Add(1); n > s.most.Load() {
		s.most.Store(n)
	}
	defer s.underWay.Add(-1)
	if !sleep(r.Context(), time.Second) {
		return nil, r.Context().Err()
	}
	answer := &http.Response{StatusCode: int(s.status.Load()), Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")),
		Request: r}
	if answer.StatusCode != http.StatusOK {
		answer.Header.Set("Retry-After", "600")
	}
	return answer, nil
}

const pausedRoot = "https://legacy.example/wp-json"

// whilePaused calls, once, a site that responds with status and a Retry-After of ten minutes,
// in a bubble. The caller limits the pause to a minute.
func whilePaused(t *testing.T, status int32, then func(t *testing.T, u *Caller, site *pausedSite)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		site := new(pausedSite)
		site.status.Store(status)
		u := New("legacy", Options{
			MaxRetryAfter: time.Minute, Breaker: BreakerOptions{Percent: 50, Probes: 1},
			HealthCheck: &Request{Method: http.MethodGet, Target: "/events"},
			Wrap:        func(http.RoundTripper) http.RoundTripper { return site },
		}, []Root{{Name: "en", URL: pausedRoot}}, new(Hosts))
		defer u.Close()
		if _, err := call(u); err != nil {
			t.Fatal(err)
		}
		then(t, u, site)
	})
}

func call(u *Caller) (status int, err error) {
	got, _, err := u.Do(context.Background(), pausedRoot, Request{Method: http.MethodGet, Target: "/events", Class: Read, Anonymous: true})
	return got.Status, err
}

// TestMaintenanceEnds: a site in maintenance recovers before its Retry-After. It is probed every two
// seconds, by one call at a time, until a probe succeeds.
func TestMaintenanceEnds(t *testing.T) {
	whilePaused(t, http.StatusServiceUnavailable, func(t *testing.T, u *Caller, site *pausedSite) {
		time.Sleep(19 * time.Second)
		if _, err := call(u); !errors.Is(err, ErrOpen) {
			t.Errorf("in maintenance: %v", err)
		}
		if n := site.calls.Load(); n != 1+6 || site.most.Load() != 1 { // 2 s between, and 1 s for each
			t.Errorf("%d calls in 19 s, %d at once", n, site.most.Load())
		}
		site.status.Store(http.StatusOK)
		time.Sleep(4 * time.Second)
		if status, err := call(u); status != http.StatusOK || err != nil {
			t.Errorf("recovered: %d, %v", status, err)
		}
		before := site.calls.Load()
		time.Sleep(time.Hour)
		if n := site.calls.Load() - before; n != 0 {
			t.Errorf("%d probes after the recovery", n)
		}
		site.status.Store(http.StatusServiceUnavailable)
		_, _ = call(u)
		before = site.calls.Load()
		time.Sleep(10 * time.Second)
		if n := site.calls.Load() - before; n == 0 {
			t.Error("in maintenance again, and not probed")
		}
	})
}

// TestNoProbesAfterTooManyRequests: a site that limits calls is not probed.
func TestNoProbesAfterTooManyRequests(t *testing.T) {
	whilePaused(t, http.StatusTooManyRequests, func(t *testing.T, u *Caller, site *pausedSite) {
		site.status.Store(http.StatusOK)
		time.Sleep(time.Minute - time.Second)
		if _, err := call(u); !errors.Is(err, ErrOpen) || site.calls.Load() != 1 {
			t.Errorf("%v after %d calls", err, site.calls.Load())
		}
	})
}

// TestProbesDoNotProlongThePause: the response to a probe does not extend the pause, because only
// the list may be unavailable. After the pause calls of clients are sent.
func TestProbesDoNotProlongThePause(t *testing.T) {
	whilePaused(t, http.StatusServiceUnavailable, func(t *testing.T, u *Caller, site *pausedSite) {
		time.Sleep(time.Minute + time.Millisecond)
		before := site.calls.Load()
		if status, err := call(u); status != http.StatusServiceUnavailable || err != nil || site.calls.Load() != before+1 {
			t.Errorf("%d, %v after %d calls", status, err, site.calls.Load()-before)
		}
	})
}

// TestCloseCancelsProbes: Close cancels the probe in progress.
func TestCloseCancelsProbes(t *testing.T) {
	whilePaused(t, http.StatusServiceUnavailable, func(t *testing.T, u *Caller, site *pausedSite) {
		time.Sleep(2*time.Second + time.Millisecond)
		if site.underWay.Load() != 1 {
			t.Fatal("the site is not probed")
		}
		u.Close()
		if n := site.underWay.Load(); n != 0 {
			t.Errorf("%d calls continue", n)
		}
		u.awaitRecovery(u.roots[0]) // for a client's call that ends later
		before := site.calls.Load()
		time.Sleep(time.Minute)
		if n := site.calls.Load() - before; n != 0 {
			t.Errorf("%d calls after Close", n)
		}
	})
}
