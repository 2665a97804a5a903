package edge

import (
	"net/netip"
	"testing"
	"time"
)

// TestRateLimitBounded: no number of addresses takes more memory than configured.
func TestRateLimitBounded(t *testing.T) {
	l := newLimiter("reads", Quota{Requests: 1, Window: time.Hour}, nil, 10)
	forgotten := 0
	for range 2 {
		for i := range 1000 {
			client := netip.AddrFrom4([4]byte{10, 0, byte(i / 250), byte(i % 250)})
			if l.takeHere(client, time.Unix(1_800_000_000, 0)).Wait == 0 {
				forgotten++
			}
		}
	}
	if forgotten < 1900 {
		t.Errorf("of 2000 requests %d were of a client that nobody remembered; 1000 clients were to be forgotten but for 10", forgotten)
	}
}
