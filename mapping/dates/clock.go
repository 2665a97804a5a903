package dates

import (
	"regexp"
	"strconv"
	"time"
)

var (
	secondsForm = regexp.MustCompile(`^(@?)(-?\d+)$`)
	clockForm   = regexp.MustCompile(`^(\d{1,2}):(\d{2})(?::(\d{2}))?$`)
)

// secondsDate reads seconds since 1970, with strtotime's @ or without.
func secondsDate(s string) (Date, bool) {
	m := secondsForm.FindStringSubmatch(s)
	if m == nil {
		return Date{}, false
	}
	i, err := strconv.ParseInt(m[2], 10, 64)
	if year := time.Unix(i, 0).UTC().Year(); err != nil || year < 1 || year > 9999 {
		return Date{}, true
	}
	return Date{m[1] + strconv.FormatInt(i, 10), Instant}, true
}

// clockDate reads a time without a day.
func clockDate(s string) (Date, bool) {
	m := clockForm.FindStringSubmatch(s)
	if m == nil {
		return Date{}, false
	}
	if _, exists := timeOf(time.Time{}, digits(m[1]), digits(m[2]), digits(m[3])); !exists {
		return Date{}, true
	}
	return Date{s, Relative}, true
}

// IsTimeOfDay reports whether s has the form of a time alone, such as 9:30.
func IsTimeOfDay(s string) bool { return clockForm.MatchString(s) }
