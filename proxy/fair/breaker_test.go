package fair

import (
	"testing"
	"time"
)

var testLimits = BreakerLimits{Percent: 50, Calls: 10, Window: 10 * time.Second, Open: 5 * time.Second, Probes: 3}

// breakerRun is a breaker with its own clock.
type breakerRun struct {
	*Breaker[string]
	t   *testing.T
	now time.Time
}

func newBreakerRun(t *testing.T) *breakerRun {
	return &breakerRun{NewBreaker[string](testLimits, 1000), t, time.Unix(1_800_000_000, 0)}
}

// call makes a call; it reports whether it was made.
func (r *breakerRun) call(id string, ok bool) bool {
	c, made := r.Allow(id, r.now)
	switch {
	case !made:
	case ok:
		r.Succeed(c, r.now)
	default:
		r.Fail(c, r.now)
	}
	return made
}

func (r *breakerRun) want(id string, want Phase) {
	r.t.Helper()
	if got, _ := r.State(id, r.now); got != want {
		r.t.Errorf("%q: %v, want %v", id, got, want)
	}
}

// TestBreakerOfOneClient: five failures a second of one client for a minute open the breaker
// for that client, after five calls each time, and for no other.
func TestBreakerOfOneClient(t *testing.T) {
	r := newBreakerRun(t)
	made := 0
	for range 300 {
		if r.call("attacker", false) {
			made++
		}
		if !r.call("other", true) || !r.call("", true) {
			t.Fatal("another client was refused")
		}
		r.now = r.now.Add(200 * time.Millisecond)
	}
	if made > 30 {
		t.Errorf("%d calls of the attacker", made)
	}
	r.want("attacker", Open)
	r.want("other", Closed)
}

// TestBreakerOfAFewClients: one client counts for at most a fifth.
func TestBreakerOfAFewClients(t *testing.T) {
	for clients, want := range map[int]Phase{1: Closed, 2: Closed, 4: Closed, 5: Open, 20: Open} {
		r := newBreakerRun(t)
		for range 9 {
			for i := range clients {
				r.call(string(rune('a'+i)), false)
			}
		}
		if got, _ := r.State("new", r.now); got != want {
			t.Errorf("%d clients: %v, want %v", clients, got, want)
		}
	}
}

// TestBreakerNeedsTwo: one client alone never opens the breaker for others.
func TestBreakerNeedsTwo(t *testing.T) {
	l := testLimits
	l.Calls = 1
	r := &breakerRun{NewBreaker[string](l, 1000), t, time.Unix(1_800_000_000, 0)}
	r.call("a", false)
	r.want("a", Open)
	r.want("b", Closed)
	r.call("b", false)
	r.want("c", Open)
}

// TestBreakerAlone: with a single client it is a plain circuit breaker.
func TestBreakerAlone(t *testing.T) {
	r := newBreakerRun(t)
	want := func(want Phase, wantLeft time.Duration) {
		t.Helper()
		if got, left := r.Overall(r.now); got != want || left != wantLeft {
			t.Errorf("%v for %s, want %v for %s", got, left, want, wantLeft)
		}
	}
	for range 10 {
		want(Closed, 0)
		r.call("proxy", false)
	}
	want(Open, 5*time.Second)
	if r.call("proxy", true) {
		t.Error("a call was made")
	}
	r.now = r.now.Add(5 * time.Second)
	want(HalfOpen, 0)
	r.call("proxy", false)
	want(Open, 5*time.Second)
	r.now = r.now.Add(5 * time.Second)
	for range 3 {
		want(HalfOpen, 0)
		r.call("proxy", true)
	}
	want(Closed, 0)
	for range 10 {
		r.call("proxy", false)
	}
	r.call("another", true)
	want(Closed, 0)
}

// TestBreakerProbedByMany: the failures of one client do not keep it open if other clients
// call.
func TestBreakerProbedByMany(t *testing.T) {
	r := newBreakerRun(t)
	r.Pause(r.now, time.Second)
	r.Pause(r.now, time.Millisecond)
	for _, id := range []string{"attacker", "other"} {
		if r.call(id, true) {
			t.Fatalf("%s called during the pause", id)
		}
	}
	r.now = r.now.Add(time.Second)
	r.call("attacker", false)
	r.want("attacker", Open)
	for range 3 {
		r.want("other", HalfOpen)
		r.call("other", true)
	}
	r.want("other", Closed)

	r.Pause(r.now, time.Second)
	r.call("a", true)
	r.call("b", true)
	r.now = r.now.Add(time.Second)
	r.call("a", false)
	r.want("b", HalfOpen)
	r.call("b", false)
	r.want("c", Open)
}

// TestBreakerLate: calls that began in an earlier phase do not count.
func TestBreakerLate(t *testing.T) {
	r := newBreakerRun(t)
	late, _ := r.Allow("a", r.now)
	r.Pause(r.now, time.Second)
	r.now = r.now.Add(time.Second)
	first, ok := r.Allow("a", r.now)
	if !ok {
		t.Fatal("no probe")
	}
	r.Fail(late, r.now)
	r.Drop(first)
	for range testLimits.Probes {
		r.want("a", HalfOpen)
		r.call("a", true)
	}
	r.want("a", Closed)
}

// TestWindow: old calls do not count.
func TestWindow(t *testing.T) {
	var w window
	now := time.Unix(1_800_000_000, 0)
	for range 5 {
		w.add(now, 10*time.Second, true)
		w.add(now, 10*time.Second, false)
		now = now.Add(3 * time.Second)
	}
	if succeeded, failed := w.counts(now, 10*time.Second); succeeded != 3 || failed != 3 {
		t.Errorf("%d, %d", succeeded, failed)
	}
	if succeeded, failed := w.counts(now.Add(time.Hour), 10*time.Second); succeeded+failed != 0 {
		t.Errorf("%d, %d an hour later", succeeded, failed)
	}
}

func TestFailures(t *testing.T) {
	f := NewFailures[int](3, time.Minute, 2)
	now := time.Unix(1_800_000_000, 0)
	want := func(id int, want time.Duration) {
		t.Helper()
		if got := f.Wait(id, now); got != want {
			t.Errorf("%d: %s, want %s", id, got, want)
		}
	}
	for range 3 {
		want(1, 0)
		f.Failed(1, now)
		now = now.Add(10 * time.Second)
	}
	want(1, 30*time.Second)
	want(2, 0)
	f.Failed(2, now)
	for id := 3; id < 6; id++ { // all others share a limit
		want(id, 0)
		f.Failed(id, now)
	}
	want(9, time.Minute)
	want(2, 0)
	want(1, 30*time.Second)
	if n := len(f.clients.known); n != 2 {
		t.Errorf("%d clients are remembered", n)
	}
	now = now.Add(30 * time.Second)
	want(1, 0)
	f.Failed(1, now)
	want(1, 0)
	now = now.Add(time.Minute)
	want(9, 0)
}
