package mapping

import (
	"strings"
	"time"
)

// The legacy reads dates with PHP's strtotime, which accepts nearly anything. The
// facade checks the forms that name a day or a time, and brings them to one form
// each:
//
//	2026-11-21                       a day of the site
//	2026-11-21 10:00:00              a time of the site
//	2026-11-21T10:00:00+01:00        an instant, with the offset that was given
//	2026-11-21 10:00:00 Europe/Rome  an instant, with the zone that was given
//	1798761600                       seconds since 1970 (a plain number is never a year)
//
// Other spellings of these are 21-11-2026, 2026-11 (its first day), 2026-W47 (its
// Monday) and 24:00 (the midnight that ends the day).
//
// What depends on the day it is read on (now, 10:00, +1 week, next monday) is
// passed on if every word of it is one that strtotime knows. It keeps its capitals:
// PHP reads GMT+2 and gmt+2 as different hours.

// dateKind says what the meaning of a date depends on.
type dateKind uint8

const (
	localDate    dateKind = iota // on the zone that it is read in: a day or a time without one
	instantDate                  // on nothing: it has a zone or an offset, or counts seconds
	relativeDate                 // on the moment at which it is read
)

// date is a date in its canonical form.
type date struct {
	text string
	kind dateKind
}

// dateForm reads one form of dates. ok is false for what has another form, and the
// date is zero for what has this one and does not exist.
type dateForm func(s string) (d date, ok bool)

// numericForms are the forms that are not words.
var numericForms = []dateForm{secondsDate, absoluteDate, zonedDate, monthDate, weekDate, clockDate}

// parseDate is the dateForm of all dates.
func parseDate(s string) (d date, ok bool) {
	if isCanonicalDate(s) {
		return date{s, localDate}, true
	}
	s = strings.Join(strings.Fields(s), " ")
	if s == "" || isLetter(s[0]) {
		return wordsDate(s) // without the slow forms
	}
	for _, form := range numericForms {
		if d, ok := form(s); ok {
			return d, true
		}
	}
	return wordsDate(s)
}

// isInstant reports whether a date means the same wherever and whenever it is read.
func isInstant(s string) bool {
	d, _ := parseDate(s)
	return d.kind == instantDate
}

// isRelative reports whether the meaning of a date depends on when it is read.
func isRelative(s string) bool {
	d, _ := parseDate(s)
	return d.kind == relativeDate
}

func isLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// isCanonicalDate reports whether s is a real day of the site, or a time of one,
// in the form that it is brought to. Most dates are, and the other forms are slow.
func isCanonicalDate(s string) bool {
	day, clock, timed := strings.Cut(s, " ")
	return isDay(day) && (!timed || isClock(clock))
}

func isDay(s string) bool {
	if len(s) != len(time.DateOnly) || s[4] != '-' || s[7] != '-' {
		return false
	}
	year, month, day := digits(s[:4]), digits(s[5:7]), digits(s[8:])
	if year < 1 || month < 1 || month > 12 || day < 1 {
		return false
	}
	if day <= 28 {
		return true
	}
	last := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC)
	return day <= last.Day()
}

func isClock(s string) bool {
	if len(s) != len(time.TimeOnly) || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, minute, second := digits(s[:2]), digits(s[3:5]), digits(s[6:])
	return hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60
}

// digits gives the number that s is, -1 if it has anything but digits.
func digits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}
