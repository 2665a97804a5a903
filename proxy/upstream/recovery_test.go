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

// pausedSite is a site whose answers take a second. It counts its calls.
type pausedSite struct {
	status                atomic.Int32 // of its answers; all but 200 have a Retry-After
	calls, underWay, most atomic.Int32 // most is how many were under way at once
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
	answer := &http.Response{StatusCode: int(s.status.Load()), Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}
	if answer.StatusCode != http.StatusOK {
		answer.Header.Set("Retry-After", "600")
	}
	return answer, nil
}

const pausedRoot = "https://legacy.example/wp-json"

// whilePaused calls a site that says status with a Retry-After of ten minutes, once, in a
// bubble. Of the pause a minute is kept to.
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
		if _, err := ask(u); err != nil {
			t.Fatal(err)
		}
		then(t, u, site)
	})
}

func ask(u *Caller) (status int, err error) {
	got, _, err := u.Do(context.Background(), pausedRoot, Request{Method: http.MethodGet, Target: "/events", Class: Read, Anonymous: true})
	return got.Status, err
}

// TestAbsenceEnds: a site in maintenance is back sooner than it said. It is asked every
// two seconds, by one call at a time, and no more once it has answered.
func TestAbsenceEnds(t *testing.T) {
	whilePaused(t, http.StatusServiceUnavailable, func(t *testing.T, u *Caller, site *pausedSite) {
		time.Sleep(19 * time.Second)
		if _, err := ask(u); !errors.Is(err, ErrOpen) {
			t.Errorf("in maintenance: %v", err)
		}
		if n := site.calls.Load(); n != 1+6 || site.most.Load() != 1 { // 2 s between, and 1 s for each
			t.Errorf("%d calls in 19 s, %d at once", n, site.most.Load())
		}
		site.status.Store(http.StatusOK)
		time.Sleep(4 * time.Second)
		if status, err := ask(u); status != http.StatusOK || err != nil {
			t.Errorf("back: %d, %v", status, err)
		}
		before := site.calls.Load()
		time.Sleep(time.Hour)
		if n := site.calls.Load() - before; n != 0 {
			t.Errorf("%d calls of one that is back", n)
		}
		site.status.Store(http.StatusServiceUnavailable)
		_, _ = ask(u)
		before = site.calls.Load()
		time.Sleep(10 * time.Second)
		if n := site.calls.Load() - before; n == 0 {
			t.Error("absent again, and not asked")
		}
	})
}

// TestAbsenceIsNoRefusal: who asks for fewer calls gets none.
func TestAbsenceIsNoRefusal(t *testing.T) {
	whilePaused(t, http.StatusTooManyRequests, func(t *testing.T, u *Caller, site *pausedSite) {
		site.status.Store(http.StatusOK)
		time.Sleep(time.Minute - time.Second)
		if _, err := ask(u); !errors.Is(err, ErrOpen) || site.calls.Load() != 1 {
			t.Errorf("%v after %d calls", err, site.calls.Load())
		}
	})
}

// TestAbsenceIsNotProlonged: what the site says to who asks counts for nobody else, for
// only the list may be away. When the pause is over clients' calls are tried.
func TestAbsenceIsNotProlonged(t *testing.T) {
	whilePaused(t, http.StatusServiceUnavailable, func(t *testing.T, u *Caller, site *pausedSite) {
		time.Sleep(time.Minute + time.Millisecond)
		before := site.calls.Load()
		if status, err := ask(u); status != http.StatusServiceUnavailable || err != nil || site.calls.Load() != before+1 {
			t.Errorf("%d, %v after %d calls", status, err, site.calls.Load()-before)
		}
	})
}

// TestAbsenceEndsWithTheFacade: the call that is under way is cut off.
func TestAbsenceEndsWithTheFacade(t *testing.T) {
	whilePaused(t, http.StatusServiceUnavailable, func(t *testing.T, u *Caller, site *pausedSite) {
		time.Sleep(2*time.Second + time.Millisecond)
		if site.underWay.Load() != 1 {
			t.Fatal("the site is not asked")
		}
		u.Close()
		if n := site.underWay.Load(); n != 0 {
			t.Errorf("%d calls go on", n)
		}
		u.awaitRecovery(u.order[0]) // of a client's call that ends later
		before := site.calls.Load()
		time.Sleep(time.Minute)
		if n := site.calls.Load() - before; n != 0 {
			t.Errorf("%d calls after the end", n)
		}
	})
}
