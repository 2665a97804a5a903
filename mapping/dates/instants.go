package dates

import (
	"strconv"
	"strings"
	"time"
)

// At returns the instant of a date in its canonical form. It is the zero time if the zone is
// unknown here, or if the date depends on when it is read. isInstant is false for a date
// without a zone.
func At(text string) (at time.Time, isInstant bool) {
	switch d, _ := Parse(text); d.Kind {
	case Relative:
		return time.Time{}, namesZone(text)
	case Local:
		return time.Time{}, false
	}
	if seconds, err := strconv.ParseInt(strings.TrimPrefix(text, "@"), 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC(), true
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at, true
	}
	i := strings.LastIndexByte(text, ' ')
	zone := Zone(text[i+1:])
	if zone == nil {
		return time.Time{}, true
	}
	at, _ = time.ParseInLocation(time.DateTime, WithTime(text[:i]), zone)
	return at, true
}

// Day returns the day of a canonical date.
func Day(date string) string { return date[:min(len(date), len(time.DateOnly))] }

// WithTime returns a canonical date with a time; that of a day is midnight.
func WithTime(date string) string {
	if IsDay(date) {
		return date + " 00:00:00"
	}
	return date
}
