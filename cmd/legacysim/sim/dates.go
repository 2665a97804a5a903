package sim

import (
	"regexp"
	"time"

	"github.com/calfacade/calfacade/mapping/dates"
)

const dateTime = "2006-01-02 15:04:05"

// readDate reads a date in the grammar of package dates. A date without a zone is in loc.
func readDate(s string, now time.Time, loc *time.Location) (time.Time, bool) {
	date, _ := dates.Parse(s)
	if s == "" {
		return time.Time{}, false
	}
	if date.Kind == dates.Local && date.Text != "" {
		t, err := time.ParseInLocation(dateTime, dates.WithTime(date.Text), loc)
		return t, err == nil
	}
	t, _ := dates.At(date.Text, now)
	if !t.IsZero() {
		return t, true
	}
	return dates.InWords(s, now.In(loc))
}

var offsetName = regexp.MustCompile(`(?i)^UTC[+-]`)

// abbreviation is the short name of an event's zone at a time. The name of an offset is
// the offset.
func abbreviation(name string, t time.Time) string {
	if offsetName.MatchString(name) {
		return name
	}
	return t.Format("MST")
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

func endOfDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 23, 59, 59, 0, t.Location())
}

// localTime returns the time at which a clock in loc shows the same date and time as t.
func localTime(t time.Time, loc *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, loc)
}

// phpISO is ISO 8601 with +00:00 where Go writes Z.
func phpISO(t time.Time) string { return t.Format("2006-01-02T15:04:05-07:00") }

func utcText(t time.Time) string {
	if t.IsZero() {
		return "0000-00-00 00:00:00"
	}
	return t.UTC().Format(dateTime)
}

// zone loads a zone that is known to exist: the data is linked in. An offset that is too far means UTC.
func zone(name string) *time.Location {
	loc := dates.Zone(name)
	switch {
	case loc == nil && offsetName.MatchString(name):
		return time.UTC
	case loc == nil:
		panic("BUG: no time zone " + name)
	}
	return loc
}
