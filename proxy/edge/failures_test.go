package edge

import (
	"net/netip"
	"testing"
	"time"
)

// TestFailures: each client has its limit, and waiting takes nothing from it.
func TestFailures(t *testing.T) {
	f := newLimiter("sign-ins", Quota{Requests: 3, Window: time.Minute}, nil, 10)
	first := netip.MustParseAddr("192.0.2.1")
	second := netip.MustParseAddr("192.0.2.2")
	now := time.Unix(1_800_000_000, 0)
	want := func(client netip.Addr, want time.Duration) {
		t.Helper()
		if got := f.wait(client, now); got != want {
			t.Errorf("%s: %s, want %s", client, got, want)
		}
	}
	for range 3 {
		want(first, 0)
		f.takeHere(first, now)
	}
	want(first, 20*time.Second)
	want(first, 20*time.Second)
	want(second, 0)
	now = now.Add(20 * time.Second)
	want(first, 0)
	f.takeHere(first, now)
	want(first, 20*time.Second)
	now = now.Add(time.Minute)
	for range 3 {
		want(first, 0)
		f.takeHere(first, now)
	}
	want(first, 20*time.Second)
}
