package freshness

import (
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	want := time.Date(2050, 8, 18, 2, 1, 18, 0, time.UTC)
	for _, s := range []string{
		"Thu, 18 Aug 2050 02:01:18 GMT", "THU, 18 Aug 2050 02:01:18 GMT", "Thu, 18 AUG 2050 02:01:18 GMT",
		"Thu, 18 Aug 2050 02:01:18 gMT", "Thursday, 18-Aug-50 02:01:18 GMT", "Thu Aug 18 02:01:18 2050",
	} {
		if got, ok := parseDate(s); !ok || !got.Equal(want) {
			t.Errorf("%q: %s, %t", s, got, ok)
		}
	}
	if _, ok := parseDate("Mon Aug  8 02:01:18 2050"); !ok {
		t.Error("a day of one digit in the form of asctime is no date")
	}
	for _, s := range []string{
		"", "0", "-1", "GMT", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18 AEST", "Thursday, 18-Aug-50 02:01:18 UTC",
		"Thu, 18 Aug 50 02:01:18 GMT", "Thu 18 Aug 2050 02:01:18 GMT", "Thu, 18  Aug  2050 02:01:18 GMT",
		"Thu, 18-Aug-2050 02:01:18 GMT", "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT",
		"Thu, 18 Aug 2050 02:01:18 GMT ", "Thu Aug 8 02:01:18 2050", "Thu, 18 Aug 2050 02:01:18",
	} {
		if got, ok := parseDate(s); ok {
			t.Errorf("%q: %s", s, got)
		}
	}
}

func TestNextMidnight(t *testing.T) {
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 7, 1, 22, 50, 0, 0, time.UTC) // 23:50 in London
	if got, want := nextMidnight(now, london).UTC(), time.Date(2026, 7, 1, 23, 0, 0, 0, time.UTC); got != want {
		t.Errorf("London: got %s, want %s", got, want)
	}
	if got, want := nextMidnight(now, nil), time.Date(2026, 7, 1, 23, 0, 0, 0, time.UTC); got != want {
		t.Errorf("no zone: got %s, want %s", got, want)
	}
}
