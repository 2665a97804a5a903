package dates

import (
	"testing"
	"time"
)

// TestAt: the instants that dates with a zone mean, around changes of the clocks.
func TestAt(t *testing.T) {
	for s, want := range map[string]string{
		"2026-11-21T10:00:00+01:00": "2026-11-21T09:00:00Z", "2026-11-21T10:00:00.5+00:00": "2026-11-21T10:00:00.5Z",
		"@5": "1970-01-01T00:00:05Z", "-1": "1969-12-31T23:59:59Z", "1798761600": "2027-01-01T00:00:00Z",
		"2026-07-01 10:00:00 Europe/Rome": "2026-07-01T08:00:00Z", "2026-12-01 10:00:00 Europe/Rome": "2026-12-01T09:00:00Z",
		"2026-12-01 Europe/Rome":          "2026-11-30T23:00:00Z",
		"2026-03-29 01:59:59 Europe/Rome": "2026-03-29T00:59:59Z", "2026-03-29 03:00:00 Europe/Rome": "2026-03-29T01:00:00Z",
		"2026-10-25 01:59:59 Europe/Rome": "2026-10-24T23:59:59Z", "2026-10-25 03:00:00 Europe/Rome": "2026-10-25T02:00:00Z",
		"2026-11-01 12:00:00 America/New_York": "2026-11-01T17:00:00Z", "2026-10-31 12:00:00 America/New_York": "2026-10-31T16:00:00Z",
		"2026-11-21 10:00:00 UTC": "2026-11-21T10:00:00Z", "2026-07-01 10:00:00 europe/rome": "2026-07-01T08:00:00Z",
		// Zones that only PHP knows, or that only a clock decides.
		"2026-11-21 10:00:00 CET": "unknown", "2026-11-21 10:00:00 Europe/Nowhere": "unknown", "tomorrow 10:00 CET": "unknown",
		// Forms that programs print.
		"Tue Jul 20 2027 12:00:00 GMT+0000":                                "2027-07-20T12:00:00Z",
		"Tue Jul 20 2027 12:00:00 GMT+0200 (Central European Summer Time)": "2027-07-20T10:00:00Z",
		"Tue Jul 20 12:00:00 UTC 2027":                                     "2027-07-20T12:00:00Z",
		"Tue, 20 Jul 2027 12:00:00 +0200":                                  "2027-07-20T10:00:00Z",
		"7/20/2027, 12:00:00 PM UTC":                                       "2027-07-20T12:00:00Z",
		"2027-W29-2T12:00:00Z":                                             "2027-07-20T12:00:00Z",
		"12/21/2026 12:00Z":                                                "2026-12-21T12:00:00Z",
		"21 Dec 2026 12:00:00Z":                                            "2026-12-21T12:00:00Z",
		"2026-12-21 12:00 PM+02:00":                                        "2026-12-21T10:00:00Z",
		"20261121T120000+0200":                                             "2026-11-21T10:00:00Z",
		"20261121T120000Z":                                                 "2026-11-21T12:00:00Z",
		// Zones in forms that are not read here.
		"noon 2027-07-20 UTC": "unknown", "12:00Z 2027-07-20": "unknown", "2027-201T12:00Z": "unknown",
		"2026-11-21 10:00 T": "unknown", "@5 +1 day": "unknown", "20-Jul-27 12:00-05": "unknown",
		"Jul-20T12:00": "unknown", "Jul-05:00": "unknown", "20 Jul 2027-07 noon": "unknown", "2027-EST-20": "unknown",
		"12:00 2027-07-20 +02:00": "unknown", "Tuesday, 20-Jul-27 12:00:00 CET": "unknown",
		// No zone.
		"noon 2027-07-20": "local", "2027-201": "local", "2027-07-20T12": "local", "2027-07-20 12:00 +2 days": "local",
		"first monday of july 2027": "local", "20-Jul-2027 noon": "local",
		"20-Jul-27 12:00": "local", "Tuesday, 20-Jul-27 12:00:00": "local", "27-07-20 noon": "local", "Jul-20-2027 noon": "local",
		"2027-Jul-20 +2 days": "local", "July-20, 12:00": "local",
		"12:00 2027-07-20": "local", "8am 2027-07": "local", "12:00:00.5 2027-201": "local", "20-Jul-27T12:00": "local",
		"2026-11-21": "local", "2026-11-21 10:00:00": "local", "now": "local", "tomorrow 10:00": "local", "+2 days": "local",
	} {
		got := "local"
		d, _ := Parse(s)
		if instant, isInstant := At(d.Text, time.Unix(1795000000, 0)); isInstant {
			got = instant.UTC().Format(time.RFC3339Nano)
			if instant.IsZero() {
				got = "unknown"
			}
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", s, got, want)
		}
		if KindOf(s) != d.Kind {
			t.Errorf("%s: kind %d", s, d.Kind)
		}
	}
}

// TestWordsWithZone: the zone decides which day is today, and a change of the clocks is no hour of the day.
// Each order of words that PHP reads otherwise than people do is unknown, and so are words without one meaning.
func TestWordsWithZone(t *testing.T) {
	tuesday := time.Date(2026, 10, 20, 23, 30, 15, 999, time.UTC) // Wednesday in Rome
	for s, want := range map[string]string{
		"now +02:00": "2026-10-20T23:30:15Z", "NOW Z": "2026-10-20T23:30:15Z", "10:00 UTC": "2026-10-20T10:00:00Z",
		"tomorrow 10:00 UTC": "2026-10-21T10:00:00Z", "tomorrow 10:00Z": "2026-10-21T10:00:00Z",
		"tomorrow 10:00 +02:00": "2026-10-22T08:00:00Z", "tomorrow 10:00 Europe/Rome": "2026-10-22T08:00:00Z",
		"Tomorrow 7:30 PM -05:00": "2026-10-22T00:30:00Z", "UTC tomorrow T10:00": "2026-10-21T10:00:00Z",
		"tomorrow UTC": "2026-10-21T00:00:00Z", "yesterday noon Europe/Rome": "2026-10-20T10:00:00Z",
		"+2 days GMT+2": "2026-10-22T23:30:15Z", "+1 week 2 days 18:00 America/Port-au-Prince": "2026-10-29T22:00:00Z",
		"1 week ago UTC": "2026-10-13T23:30:15Z", "+90 min UTC": "2026-10-21T01:00:15Z",
		"wednesday 10:00 Europe/Rome": "2026-10-21T08:00:00Z", "next wednesday 10:00 Europe/Rome": "2026-10-28T09:00:00Z",
		"monday next week 9am UTC": "2026-10-26T09:00:00Z", "sunday this week UTC": "2026-10-25T00:00:00Z",
		"last monday UTC": "2026-10-19T00:00:00Z", "next month 10:00 UTC": "2026-11-20T10:00:00Z",
		"2026-10-24 noon UTC":             "2026-10-24T12:00:00Z",
		"2026-10-25 +3 hours Europe/Rome": "2026-10-25T01:00:00Z", "2026-10-24 +1 day 03:00 Europe/Rome": "2026-10-25T02:00:00Z",
		"10:00 tomorrow UTC": "unknown", "next week UTC": "unknown", "monday 24:00 UTC": "unknown", "this tues UTC": "unknown",
		"tomorrow 25:00 UTC": "unknown", "tomorrow 10:00 11:00 UTC": "unknown", "+1 week tomorrow UTC": "unknown",
		"tomorrow 10:00 UTC +02:00": "unknown", "+2 weekdays UTC": "unknown", "first monday of next month UTC": "unknown",
		"tomorrow 10 UTC": "unknown", "+99999 years UTC": "unknown", "monday 1 week ago UTC": "unknown", "2027-02-30 noon UTC": "unknown",
	} {
		instant, isInstant := At(s, tuesday)
		got := instant.UTC().Format(time.RFC3339Nano)
		if instant.IsZero() {
			got = "unknown"
		}
		if got != want || !isInstant {
			t.Errorf("%s: got %s (%t), want %s", s, got, isInstant, want)
		}
	}
}

// TestIsAmbiguous: the hour that occurs twice when clocks are set back, to the second.
// A time that the change in spring skips is none.
func TestIsAmbiguous(t *testing.T) {
	for _, test := range []struct {
		zone, utc string
		want      bool
	}{
		{"Europe/Rome", "2026-10-24T23:59:59Z", false}, // 01:59:59
		{"Europe/Rome", "2026-10-25T00:00:00Z", true},  // 02:00:00, the first
		{"Europe/Rome", "2026-10-25T00:59:59Z", true},
		{"Europe/Rome", "2026-10-25T01:00:00Z", true}, // 02:00:00, the second
		{"Europe/Rome", "2026-10-25T01:59:59Z", true},
		{"Europe/Rome", "2026-10-25T02:00:00Z", false}, // 03:00:00
		{"Europe/Rome", "2026-03-29T00:59:59Z", false},
		{"Europe/Rome", "2026-03-29T01:00:00Z", false},
		{"America/New_York", "2026-11-01T05:30:00Z", true},
		{"America/New_York", "2026-11-01T06:30:00Z", true},
		{"America/New_York", "2026-11-01T07:00:00Z", false},
		{"Australia/Lord_Howe", "2026-04-04T14:45:00Z", true}, // set back by half an hour
		{"Australia/Lord_Howe", "2026-04-04T14:15:00Z", false},
		{"Asia/Tokyo", "2026-10-25T01:00:00Z", false}, // no changes since 1951
		{"UTC", "2026-10-25T01:00:00Z", false},
	} {
		zone, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		instant, err := time.Parse(time.RFC3339, test.utc)
		if err != nil {
			t.Fatal(err)
		}
		if got := IsAmbiguous(instant.In(zone)); got != test.want {
			t.Errorf("%s in %s (%s): got %t", test.utc, test.zone, instant.In(zone).Format(time.TimeOnly), got)
		}
	}
}

// TestDayAndTime: the parts of a canonical date.
func TestDayAndTime(t *testing.T) {
	for s, want := range map[string][2]string{
		"2026-11-21": {"2026-11-21", "2026-11-21 00:00:00"}, "2026-11-21 10:00:00": {"2026-11-21", "2026-11-21 10:00:00"},
		"2026-11-21T10:00:00+01:00": {"2026-11-21", "2026-11-21T10:00:00+01:00"}, "now": {"now", "now"},
	} {
		if got := [2]string{Day(s), WithTime(s)}; got != want {
			t.Errorf("%s: got %q, want %q", s, got, want)
		}
	}
}
