package dates

import (
	"strings"
	"time"
)

// Kind is what the meaning of a date depends on.
type Kind uint8

// The kinds.
const (
	Local    Kind = iota // the zone in which it is read: it is a day or a time without one
	Instant              // nothing: it has a zone or an offset, or counts seconds
	Relative             // the time at which it is read
)

// Date is a date in its canonical form.
type Date struct {
	Text string // the canonical form; "" if the date does not exist
	Kind Kind
}

func isLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// IsCanonical reports whether s is a day, or a day and a time, that exists and is in the
// canonical form. Most dates are, and the other forms are slow to read.
func IsCanonical(s string) bool {
	day, clock, timed := strings.Cut(s, " ")
	return IsDay(day) && (!timed || IsTime(clock))
}

// IsDay reports whether s is a day that exists, YYYY-MM-DD.
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

// IsTime reports whether s is a time of the day, hh:mm:ss.
func IsTime(s string) bool {
	if len(s) != len(time.TimeOnly) || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, minute, second := digits(s[:2]), digits(s[3:5]), digits(s[6:])
	return hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60
}

// digits returns the number that s has the digits of; -1 if it has other characters.
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
