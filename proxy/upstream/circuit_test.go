package upstream

import (
	"fmt"
	"net/netip"
	"testing"
	"time"
)

// circuitRun is a circuit with its own clock.
type circuitRun struct {
	circuit
	t   *testing.T
	now time.Time
}

func newCircuitRun(t *testing.T, calls int) *circuitRun {
	l := BreakerOptions{Percent: 50, Calls: calls, Window: 10 * time.Second, Open: 5 * time.Second, Probes: 3}
	return &circuitRun{newCircuit(l), t, time.Unix(1_800_000_000, 0)}
}

// numbered returns the address of a client.
func numbered(n int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}) }

// call makes a call; it reports whether it was made.
func (r *circuitRun) call(client int, ok bool) bool {
	if !r.allows(numbered(client), r.now) {
		return false
	}
	if call := r.begin(numbered(client)); ok {
		r.succeed(call, r.now)
	} else {
		r.fail(call, r.now)
	}
	return true
}

// want checks for which clients of 1 to 9 calls may be made, such as "2-9", and the state.
func (r *circuitRun) want(what, allowed string, state BreakerState) {
	r.t.Helper()
	got := ""
	for n := range 9 {
		if r.allows(numbered(n+1), r.now) {
			got += fmt.Sprint(n + 1)
		}
	}
	if shown, _ := r.state(r.now); got != allowed || shown != state {
		r.t.Errorf("%s: %s, clients %q may call, want %s, %q", what, shown, got, state, allowed)
	}
}

// TestCircuitOfOneClient: five failures a second of one client for a minute open the circuit for
// that client, after ten calls, then after each probe, and for no other.
func TestCircuitOfOneClient(t *testing.T) {
	r := newCircuitRun(t, 10)
	made := 0
	for n := range 300 {
		if r.call(1, false) {
			made++
		}
		if n >= 10 && !r.call(2, true) {
			t.Fatal("another client was refused")
		}
		r.now = r.now.Add(200 * time.Millisecond)
	}
	if made > 25 {
		t.Errorf("%d calls of the attacker", made)
	}
	r.want("after a minute", "23456789", Closed)
}

// TestCircuitOfAFewClients: one client counts for at most a fifth. If it is the only one, the
// circuit shows as open.
func TestCircuitOfAFewClients(t *testing.T) {
	for clients, want := range map[int]string{1: "23456789", 2: "3456789", 4: "56789", 5: "", 9: ""} {
		r := newCircuitRun(t, 10)
		for range 10 {
			for n := range clients {
				r.call(n+1, false)
			}
		}
		r.want(fmt.Sprintf("%d clients", clients), want, Open)
	}
}

// TestCircuitNeedsTwo: one client alone never opens the circuit for others.
func TestCircuitNeedsTwo(t *testing.T) {
	r := newCircuitRun(t, 1)
	r.call(1, false)
	r.want("one failed", "23456789", Open)
	r.call(2, true)
	r.want("another succeeded", "23456789", Closed)
	r.now = r.now.Add(10 * time.Second)
	r.call(2, false)
	r.want("the other failed", "3456789", Open)
}

// TestCircuitProbedByMany: the failures of one client do not keep the circuit open if others call.
func TestCircuitProbedByMany(t *testing.T) {
	r := newCircuitRun(t, 10)
	paused := func() {
		r.pause(r.now, r.now.Add(time.Second))
		r.pause(r.now, r.now.Add(time.Millisecond))
		r.want("paused", "", Open)
		r.now = r.now.Add(time.Second)
	}
	paused()
	r.call(1, false)
	for range 3 {
		r.want("one probe failed", "23456789", Open)
		r.call(2, true)
	}
	r.want("three succeeded", "123456789", Closed)

	paused()
	r.call(1, false)
	r.call(2, false)
	r.want("probes of two failed", "", Open)

	r.now = r.now.Add(5 * time.Second)
	r.call(1, false)
	r.now = r.now.Add(5 * time.Second)
	r.want("only one calls, and may again", "123456789", HalfOpen)
}

// TestCircuitSparesOthers: a client that was counted with another one whose calls fail is not
// held back with it after the first probe.
func TestCircuitSparesOthers(t *testing.T) {
	r := newCircuitRun(t, 10)
	for n := range 10 {
		r.call(1+n/8, false)
	}
	r.want("eight failures of one, two of another", "3456789", Open)
	r.now = r.now.Add(5 * time.Second)
	r.call(1, false)
	r.want("a probe failed", "23456789", Open)
}
