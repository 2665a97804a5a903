package upstream

import (
	"errors"
	"net/http"
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
	changes []bool
}

func newBreakerRun(t *testing.T) *breakerRun {
	r := &breakerRun{t: t}
	r.breaker = &breaker{limits: BreakerOptions{Failures: 4, Open: 5 * time.Second},
		changed: func(open bool) { r.changes = append(r.changes, open) }}
	return r
}

// call makes a call for each of the outcomes.
func (r *breakerRun) call(outcomes ...error) {
	r.t.Helper()
	for _, o := range outcomes {
		r.begin()(o, 0)
	}
}

func (r *breakerRun) begin() (done func(error, time.Duration)) {
	r.t.Helper()
	epoch, err := r.allow()
	if err != nil {
		r.t.Fatal("not allowed")
	}
	return func(outcome error, pause time.Duration) { r.end(epoch, outcome, pause) }
}

func (r *breakerRun) want(state BreakerState, wait time.Duration) {
	r.t.Helper()
	if s, w, _ := r.state(); s != state || w != wait {
		r.t.Errorf("state %s for %s, want %s for %s", s, w, state, wait)
	}
	if refuses := r.refuses(); refuses != (state == Open) {
		r.t.Errorf("%s: refuses calls: %t", state, refuses)
	}
}

func TestBreakerOpens(t *testing.T) {
	for name, test := range map[string]struct {
		outcomes []error
		want     BreakerState
	}{
		"four in a row": {outcomes: []error{nil, errTest, errTest, errTest, errTest}, want: Open},
		"not in a row": {
			outcomes: []error{errTest, errTest, errTest, nil, errTest, errTest, errTest},
			want:     Closed,
		},
		"too few": {outcomes: []error{errTest, errTest, errTest}, want: Closed},
		"clients that disconnected": {
			outcomes: []error{errTest, errTest, errNoOutcome, errNoOutcome, errTest},
			want:     Closed,
		},
		"as if they had not called": {
			outcomes: []error{errTest, errTest, errNoOutcome, errNoOutcome, errTest, errTest},
			want:     Open,
		},
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

// TestBreakerProbes: after the pause only a few calls are allowed, as probes. One that succeeds closes
// the breaker, whatever others failed, such as calls of a client whose requests make the site fail.
func TestBreakerProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newBreakerRun(t)
		late := r.begin()
		r.call(errTest, errTest, errTest, errTest)
		time.Sleep(5*time.Second + 1)
		late(errTest, 0) // of a call that began before the pause: it does not count
		first := r.begin()
		second := r.begin()
		third := r.begin()
		if _, err := r.allow(); !errors.Is(err, ErrOpen) {
			t.Fatalf("a fourth probe: %v", err)
		}
		first(errNoOutcome, 0) // its client disconnected: another call may be the probe
		fourth := r.begin()
		second(errTest, 0)
		third(errTest, 0)
		if !r.refuses() {
			t.Error("a call beside the probe that is left")
		}
		fourth(nil, 0)
		r.want(Closed, 0)

		r.call(errTest, errTest, errTest, errTest)
		time.Sleep(5*time.Second + 1)
		r.want(HalfOpen, 0)
		r.call(errTest, errTest, errTest)
		r.want(Open, 5*time.Second)
		if diff := cmp.Diff([]bool{true, false, true}, r.changes); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
	})
}

// TestBreakerPauses: a pause that the site requests opens the breaker at once, and probes follow
// it too. A shorter pause does not replace it.
func TestBreakerPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newBreakerRun(t)
		first := r.begin()
		second := r.begin()
		third := r.begin()
		first(errTest, 30*time.Second)
		second(errTest, time.Second)
		third(errTest, 0)
		r.want(Open, 30*time.Second)
		time.Sleep(29 * time.Second)
		r.want(Open, time.Second)
		time.Sleep(time.Second)
		r.want(HalfOpen, 0)
		r.call(nil)
		r.want(Closed, 0)
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
