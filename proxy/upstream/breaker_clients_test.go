package upstream

import (
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

// numbered returns the address of a client.
func numbered(n int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}) }

// callOf makes a call of a client. It reports whether it was made.
func (r *breakerRun) callOf(client int, outcome error) bool {
	done, err := r.allow(numbered(client))
	if err != nil {
		return false
	}
	done(outcome)
	return true
}

// wantFor checks for which clients of 1 to 9 calls may be made, such as "2-9", and the state.
func (r *breakerRun) wantFor(what, allowed string, state BreakerState) {
	r.t.Helper()
	got := ""
	for n := range 9 {
		if r.refuses(numbered(n+1)) == nil {
			got += fmt.Sprint(n + 1)
		}
	}
	if shown, _ := r.state(); got != allowed || shown != state {
		r.t.Errorf("%s: %s, clients %q may call, want %s, %q", what, shown, got, state, allowed)
	}
}

func ofMany(t *testing.T, run func(r *breakerRun)) {
	synctest.Test(t, func(t *testing.T) {
		r := newBreakerRun(t)
		r.limits.Calls, r.limits.Probes = 10, 3
		run(r)
	})
}

// TestBreakerOfOneClient: five failures a second of one client for a minute open the breaker for
// nobody while the calls of another succeed.
func TestBreakerOfOneClient(t *testing.T) {
	ofMany(t, func(r *breakerRun) {
		for n := range 300 {
			r.callOf(1, errTest)
			if n%5 == 0 && !r.callOf(2, nil) {
				t.Fatal("another client was refused")
			}
			time.Sleep(200 * time.Millisecond)
		}
		r.wantFor("after a minute", "123456789", Closed)
	})
}

// TestBreakerOfAFewClients: one client counts for at most a fifth while the calls of another
// succeed, and else for all its failures.
func TestBreakerOfAFewClients(t *testing.T) {
	for clients, want := range map[int]BreakerState{1: Closed, 4: Closed, 5: Open, 8: Open} {
		for _, works := range []bool{true, false} {
			ofMany(t, func(r *breakerRun) {
				if works {
					r.callOf(9, nil)
				}
				for range 10 {
					for n := range clients {
						r.callOf(n+1, errTest)
					}
				}
				if !works {
					want = Open
				}
				if got, _ := r.state(); got != want {
					t.Errorf("%d clients, another's calls succeed: %t: %s, want %s", clients, works, got, want)
				}
			})
		}
	}
}

// TestBreakerProbedByMany: the failures of one client do not keep the breaker open if others call.
func TestBreakerProbedByMany(t *testing.T) {
	ofMany(t, func(r *breakerRun) {
		paused := func() {
			r.pause(time.Second, false)
			r.pause(time.Millisecond, false)
			r.wantFor("paused", "", Open)
			time.Sleep(time.Second)
		}
		paused()
		r.callOf(1, errTest)
		for range 3 {
			r.wantFor("one probe failed", "23456789", Open)
			r.callOf(2, nil)
		}
		r.wantFor("three succeeded", "123456789", Closed)

		paused()
		r.callOf(1, errTest)
		r.callOf(2, errTest)
		r.wantFor("probes of two failed", "", Open)

		time.Sleep(5 * time.Second)
		r.callOf(1, errTest)
		time.Sleep(5 * time.Second)
		r.wantFor("only one calls, and may again", "123456789", HalfOpen)
	})
}
