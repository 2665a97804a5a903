package dates

import "strings"

// dateForm reads one form of dates. ok is false if s has another form. The date is zero if
// s has the form but no such date exists.
type dateForm func(s string) (d Date, ok bool)

// numericForms are the forms that have a digit.
var numericForms = []dateForm{secondsDate, absoluteDate, clockDate}

// Parse reads a date in any form. ok is false if s has none of them. The date is zero if s
// has a form but no such date exists, such as 2026-02-30.
func Parse(s string) (d Date, ok bool) {
	if IsCanonical(s) {
		return Date{s, Local}, true
	}
	s = strings.Join(strings.Fields(s), " ")
	if !strings.ContainsAny(s, "0123456789") {
		return wordsDate(s) // skips the slow forms
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
