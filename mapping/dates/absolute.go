package dates

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	secondsForm  = regexp.MustCompile(`^(@?)(-?\d+)$`)
	absoluteForm = regexp.MustCompile(`^(?:(\d{4})[-/](\d{1,2})[-/](\d{1,2})|(\d{1,2})[-.](\d{1,2})[-.](\d{4}))` +
		`(?:[Tt ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*([Zz]|(?i:utc|gmt)?[+-]\d{1,2}(?::?\d{2})?|(?i:utc|gmt))?)?$`)
	offsetForm = regexp.MustCompile(`([+-])(\d{1,2})(?::?(\d{2}))?$`)
	monthForm  = regexp.MustCompile(`^(\d{4})-(\d{1,2})$`)
	weekForm   = regexp.MustCompile(`^(\d{4})-?[Ww](\d{2})(?:-?(\d))?$`)
	clockForm  = regexp.MustCompile(`^(\d{1,2}):(\d{2})(?::(\d{2}))?$`)
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

// absoluteDate reads a day with or without a time and an offset.
func absoluteDate(s string) (Date, bool) {
	m := absoluteForm.FindStringSubmatch(s)
	if m == nil {
		return Date{}, false
	}
	day, exists := dayOf(digits(cmp.Or(m[1], m[6])), digits(cmp.Or(m[2], m[5])), digits(cmp.Or(m[3], m[4])))
	if exists && m[7] == "" {
		return Date{day.Format(time.DateOnly), Local}, true
	}
	t, onClock := timeOf(day, digits(m[7]), digits(m[8]), digits(m[9]))
	offset, ok := offsetOf(m[11])
	if !exists || !onClock || !ok {
		return Date{}, true
	}
	fraction := ""
	if decimals := strings.TrimRight(m[10], "0"); decimals != "" {
		fraction = "." + decimals
	}
	if offset == "" {
		return Date{t.Format(time.DateTime) + fraction, Local}, true
	}
	return Date{t.Format("2006-01-02T15:04:05") + fraction + offset, Instant}, true
}

// dayOf returns a day, if it exists.
func dayOf(year, month, day int) (time.Time, bool) {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return t, year > 0 && t.Year() == year && int(t.Month()) == month && t.Day() == day
}

// timeOf returns a time of a day, if it exists. 24:00 is the midnight that ends the day.
func timeOf(day time.Time, hour, minute, second int) (time.Time, bool) {
	t := time.Date(day.Year(), day.Month(), day.Day(), hour, minute, second, 0, time.UTC)
	last := hour == 24 && minute == 0 && second == 0
	return t, (last || hour < 24 && minute < 60 && second < 60) && t.Year() <= 9999
}

// offsetOf returns an offset as +hh:mm; "" for none.
func offsetOf(s string) (string, bool) {
	m := offsetForm.FindStringSubmatch(s)
	if m == nil && s != "" {
		return "+00:00", true // Z, UTC, GMT
	}
	if m == nil {
		return "", true
	}
	hours, minutes := digits(m[2]), digits(m[3])
	if hours == 0 && minutes == 0 {
		m[1] = "+"
	}
	return fmt.Sprintf("%s%02d:%02d", m[1], hours, minutes), hours <= 14 && minutes < 60
}

// zonedDate reads a day with or without a time and with the name of a zone.
func zonedDate(s string) (Date, bool) {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 || !isZone(s[i+1:]) {
		return Date{}, false
	}
	d, ok := absoluteDate(s[:i])
	switch {
	case !ok || d.Kind != Local:
		return Date{}, false
	case d.Text == "":
		return Date{}, true
	}
	return Date{d.Text + s[i:], Instant}, true
}

// monthDate reads a month as its first day.
func monthDate(s string) (Date, bool) {
	m := monthForm.FindStringSubmatch(s)
	if m == nil {
		return Date{}, false
	}
	day, exists := dayOf(digits(m[1]), digits(m[2]), 1)
	return dayDate(day, exists), true
}

// weekDate reads a week of ISO 8601 as its Monday, or a day of a week.
func weekDate(s string) (Date, bool) {
	m := weekForm.FindStringSubmatch(s)
	if m == nil {
		return Date{}, false
	}
	year, week, weekday := digits(m[1]), digits(m[2]), digits(cmp.Or(m[3], "1"))
	fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC) // is in week 1
	monday := fourth.AddDate(0, 0, -(int(fourth.Weekday())+6)%7)
	day := monday.AddDate(0, 0, 7*(week-1)+weekday-1)
	isoYear, isoWeek := day.ISOWeek()
	exists := isoYear == year && isoWeek == week && weekday > 0 && weekday <= 7
	return dayDate(day, exists && day.Year() > 0 && day.Year() <= 9999), true
}

func dayDate(day time.Time, exists bool) Date {
	if !exists {
		return Date{}
	}
	return Date{day.Format(time.DateOnly), Local}
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
