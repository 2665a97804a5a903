package dates

import (
	"fmt"
	"testing"
	"time"
)

// TestDateKinds: a date is local, an instant, or relative to a clock.
func TestDateKinds(t *testing.T) {
	for s, want := range map[string]Kind{
		"2026-11-21": Local, "2026-11-21 10:00:00": Local, "21.11.2026": Local, "2026-W47": Local, "2026-11": Local,
		"2026-11-21T10:00:00Z": Instant, "2026-11-21 10:00 GMT+2": Instant, "2026-11-21 CET": Instant, "0": Instant, "-1": Instant,
		"@5":  Instant,
		"now": Relative, "10:00": Relative, "tomorrow 10:00 CET": Relative, "January 2027": Relative,
	} {
		if d, ok := Parse(s); !ok || d.Kind != want {
			t.Errorf("%s: kind %d (%t), want %d", s, d.Kind, ok, want)
		}
	}
}

// TestCanonicalDate holds the short cut to the long way: it takes texts that that
// leaves as it is, and nothing else.
func TestCanonicalDate(t *testing.T) {
	check := func(s string) {
		d, ok := absoluteDate(s)
		if want := ok && d == (Date{Text: s, Kind: Local}); IsCanonical(s) != want {
			t.Errorf("%q: taken %t, want %t", s, !want, want)
		}
	}
	for _, year := range []int{0, 1, 1900, 2000, 2027, 2028, 9999} {
		for month := range 14 {
			for day := range 33 {
				check(fmt.Sprintf("%04d-%02d-%02d", year, month, day))
			}
		}
	}
	for _, clock := range []string{"00:00:00", "23:59:59", "24:00:00", "10:60:00", "10:00:60"} {
		check("2026-11-21 " + clock)
	}
	for s, want := range map[string]bool{
		"2026-11-21": true, "2026-11-21 10:00:00": true, "2026-11-21 ": false, "2026-11-21 10:00": false, "2026/11/21": false,
		"2026-1-021": false,
		"2026-11-2x": false, "2026-11-21T10:00:00": false, "2026-11-21 10.00.00": false, "2026-11-21 1x:00:00": false, "+026-11-21": false,
		"2026-11-21 10:x0:00": false, "2026-11-21 10:00:-1": false, "": false, "2026-11-21 10:00:00 ": false,
	} {
		if IsCanonical(s) != want {
			t.Errorf("%q: want %t", s, want)
		}
	}
}

// TestZoneOf has the zones of the recordings odd-create-timezone-*, with the hour in
// UTC that the legacy makes of 18:00 on the first of March 2027.
func TestZoneOf(t *testing.T) {
	for name, want := range map[string]string{
		"+02:00": "16:00", "America/Argentina/Buenos_Aires": "21:00", " Europe/Berlin": "17:00", "Europe/berlin": "17:00",
		"europe/berlin": "17:00",
		"GMT+2":         "16:00", "UTC+0": "18:00", "UTC+00:00": "18:00", "UTC+2": "16:00", "UTC+5.5": "12:30", "UTC+5:30": "12:30",
		"UTC-0": "18:00",
		"UTC0":  "18:00", "Z": "18:00", "utc": "18:00",
		"UTC+14": "", "UTC-12": "", "UTC+25": "", "UTC+15": "", "Local": "", "nope": "", "../etc/passwd": "",
	} {
		got := ""
		if zone := Zone(name); zone != nil {
			got = time.Date(2027, 3, 1, 18, 0, 0, 0, zone).UTC().Format("15:04")
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
