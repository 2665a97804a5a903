package upstream

import (
	"errors"
	"net/http"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var errTest = errors.New("failed")

// breakerRun is a breaker in a bubble, where time.Sleep moves the clock.
type breakerRun struct {
	*breaker
	t       *testing.T
	changes []BreakerState
}

func newBreakerRun(t *testing.T) *breakerRun {
	r := &breakerRun{t: t}
	r.breaker = newBreaker(BreakerOptions{Percent: 50, Calls: 4, Window: 10 * time.Second, Open: 5 * time.Second, Probes: 2},
		func(_, to BreakerState) { r.changes = append(r.changes, to) })
	return r
}

var testClient = netip.MustParseAddr("192.0.2.1")

// call makes a call for each of the outcomes.
func (r *breakerRun) call(outcomes ...error) {
	r.t.Helper()
	for _, o := range outcomes {
		done, err := r.allow(testClient)
		if err != nil {
			r.t.Fatal("not allowed")
		}
		done(o)
	}
}

func (r *breakerRun) want(state BreakerState, wait time.Duration) {
	r.t.Helper()
	if s, w := r.state(); s != state || w != wait {
		r.t.Errorf("state %s for %s, want %s for %s", s, w, state, wait)
	}
	if _, err := r.allow(testClient); (err != nil) != (state == Open) {
		r.t.Errorf("%s: allow returns %v", state, err)
	}
}

func TestBreakerOpens(t *testing.T) {
	for name, test := range map[string]struct {
		outcomes []error
		want     BreakerState
	}{
		"half of the calls":         {[]error{nil, errTest, nil, errTest}, Open},
		"less than half":            {[]error{nil, errTest, nil, nil, errTest}, Closed},
		"too few":                   {[]error{errTest, errTest, errTest}, Closed},
		"clients that disconnected": {[]error{errTest, errNoOutcome, errNoOutcome, errNoOutcome, errTest}, Closed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newBreakerRun(t)
				r.call(test.outcomes...)
				wait := map[BreakerState]time.Duration{Open: 5 * time.Second}[test.want]
				r.want(test.want, wait)
			})
		})
	}
}

// TestBreakerForgets: failures outside the window do not count.
func TestBreakerForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newBreakerRun(t)
		r.call(errTest, errTest, errTest)
		time.Sleep(11 * time.Second)
		r.call(errTest)
		r.want(Closed, 0)
	})
}

// TestBreakerProbes: after the pause only a few calls are allowed, as probes.
func TestBreakerProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newBreakerRun(t)
		late, err := r.allow(testClient)
		if err != nil {
			t.Fatal(err)
		}
		r.call(errTest, errTest, errTest, errTest)
		time.Sleep(5*time.Second + 1)
		late(errTest) // of a call that began before the pause: it does not count
		first, err1 := r.allow(testClient)
		second, err2 := r.allow(testClient)
		if _, err3 := r.allow(testClient); err1 != nil || err2 != nil || !errors.Is(err3, ErrOpen) {
			t.Fatalf("probes: %v, %v, %v", err1, err2, err3)
		}
		first(errNoOutcome) // its client disconnected: another call may be the probe
		third, err := r.allow(testClient)
		if err != nil {
			t.Fatal("the slot of a probe without an outcome is lost")
		}
		second(nil)
		third(nil)
		r.want(Closed, 0)

		r.call(errTest, errTest, errTest, errTest)
		time.Sleep(5*time.Second + 1)
		r.call(nil, errTest)
		r.want(Open, 5*time.Second)
		if diff := cmp.Diff([]BreakerState{Open, HalfOpen, Closed, Open, HalfOpen}, r.changes); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
	})
}

// TestBreakerPauses: a pause that the site requests opens the breaker at once, and probes follow
// it too. A shorter pause does not replace it.
func TestBreakerPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newBreakerRun(t)
		done, err := r.allow(testClient)
		if err != nil {
			t.Fatal(err)
		}
		r.pause(30*time.Second, false)
		r.pause(time.Second, false)
		done(errTest)
		r.want(Open, 30*time.Second)
		time.Sleep(29 * time.Second)
		r.want(Open, time.Second)
		time.Sleep(time.Second)
		r.call(nil)
		r.want(HalfOpen, 0)
	})
}

func TestRetryAfter(t *testing.T) {
	const date = "Sat, 21 Nov 2026 10:00:00 GMT"
	for value, want := range map[string]time.Duration{
		"":                              0,
		"soon":                          0,
		"-5":                            0,
		"0":                             0,
		"7":                             7 * time.Second,
		"99999999999":                   24 * time.Hour,
		"9999999999999999999999":        0,
		"Sat, 21 Nov 2026 10:00:09 GMT": 9 * time.Second, // by the Date of the response
		"Sat, 21 Nov 2026 09:00:00 GMT": 0,
		"Sat, 21 Nov 2126 10:00:00 GMT": 24 * time.Hour,
	} {
		if got := RetryAfter(http.Header{"Retry-After": {value}, "Date": {date}}); got != want {
			t.Errorf("%q: got %s, want %s", value, got, want)
		}
	}
}
