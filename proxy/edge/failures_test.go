package edge

import (
	"net/netip"
	"testing"
	"time"
)

// numbered returns the address of a client.
func numbered(n int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}) }

// TestFailures: each client has its limit, and those beyond the number that is remembered share one.
func TestFailures(t *testing.T) {
	f := newFailures(Quota{3, time.Minute}, 2)
	now := time.Unix(1_800_000_000, 0)
	want := func(id int, want time.Duration) {
		t.Helper()
		if got := f.wait(numbered(id), now); got != want {
			t.Errorf("%d: %s, want %s", id, got, want)
		}
	}
	for range 3 {
		want(1, 0)
		f.failed(numbered(1), now)
		now = now.Add(10 * time.Second)
	}
	want(1, 30*time.Second)
	want(2, 0)
	f.failed(numbered(2), now)
	for id := 3; id < 6; id++ { // all others share a limit
		want(id, 0)
		f.failed(numbered(id), now)
	}
	want(9, time.Minute)
	want(2, 0)
	want(1, 30*time.Second)
	if n := len(f.known); n != 2 {
		t.Errorf("%d clients are remembered", n)
	}
	now = now.Add(30 * time.Second)
	want(1, 0)
	f.failed(numbered(1), now)
	want(1, 0)
	now = now.Add(time.Minute)
	want(9, 0)
}
