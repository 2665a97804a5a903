package dates

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

// Kind says what the meaning of a date depends on.
type Kind uint8

const (
	Local    Kind = iota // on the zone that it is read in: a day or a time without one
	Instant              // on nothing: it has a zone or an offset, or counts seconds
	Relative             // on the moment at which it is read
)

// Date is a date in its canonical form.
type Date struct {
	Text string
	Kind Kind
}

// dateForm reads one form of dates. ok is false for what has another form, and the
// date is zero for what has this one and does not exist.
type dateForm func(s string) (d Date, ok bool)

// numericForms are the forms that are not words.
var numericForms = []dateForm{secondsDate, absoluteDate, zonedDate, monthDate, weekDate, clockDate}

// Parse is the dateForm of all dates.
func Parse(s string) (d Date, ok bool) {
	if IsCanonical(s) {
		return Date{s, Local}, true
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

// IsInstant reports whether a date means the same wherever and whenever it is read.
func IsInstant(s string) bool {
	d, _ := Parse(s)
	return d.Kind == Instant
}

// IsRelative reports whether the meaning of a date depends on when it is read.
func IsRelative(s string) bool {
	d, _ := Parse(s)
	return d.Kind == Relative
}

func isLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// IsCanonical reports whether s is a real day of the site, or a time of one,
// in the form that it is brought to. Most dates are, and the other forms are slow.
func IsCanonical(s string) bool {
	day, clock, timed := strings.Cut(s, " ")
	return IsDay(day) && (!timed || IsTime(clock))
}

func IsDay(s string) bool {
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

func IsTime(s string) bool {
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
