package freshness

import (
	"math"
	"testing"
	"time"
)

func TestDeltaSeconds(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0":                    0,
		"60":                   time.Minute,
		"007":                  7 * time.Second,
		"2147483647":           math.MaxInt32 * time.Second,
		"2147483648":           math.MaxInt32 * time.Second,
		"99999999999999999999": math.MaxInt32 * time.Second,
		"":                     0,
		"-1":                   0,
		"+1":                   0,
		"1.5":                  0,
		"1_0":                  0,
		" 1":                   0,
		"abc":                  0,
	} {
		if got := deltaSeconds(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
