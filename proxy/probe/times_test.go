package probe

import (
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// TestOtherTimes: zones matter if their times differ, in summer or in winter.
func TestOtherTimes(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct{ ours, theirs, want string }{
		{"Europe/London", "Europe/London", ""},
		{"Europe/Paris", "Europe/Madrid", ""}, // two names for the same times
		{"Europe/London", "Europe/Berlin", "2026-07-01 20:00 there is 2026-07-01 19:00 in en"},
		{"Asia/Kolkata", "Europe/Berlin", "2026-07-01 20:00 there is 2026-07-01 23:30 in en"},
		{"Pacific/Auckland", "Europe/Berlin", "2026-07-01 20:00 there is 2026-07-02 06:00 in en"},
		{"Europe/London", "Africa/Lagos", "2026-01-01 20:00 there is 2026-01-01 19:00 in en"}, // the same in summer
		{"", "Europe/Berlin", ""},
	} {
		options := &Options{Clock: func() time.Time { return now }}
		first := &examinedRoot{options: options, Finding: Finding{Backend: upstream.LegacyName, Language: "en"}}
		second := &examinedRoot{options: options, first: first}
		first.location, _ = restIndex{TimezoneString: test.ours}.location()
		second.location, _ = restIndex{TimezoneString: test.theirs}.location()
		if got := second.otherTimes(); got != test.want {
			t.Errorf("%s, %s: %q, want %q", test.ours, test.theirs, got, test.want)
		}
	}
}
