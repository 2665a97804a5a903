package dates

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind classifies dates by the circumstances that their meaning depends on.
type Kind uint8

// The kinds.
const (
	Local    Kind = iota // the zone of the reader: a day or a time without a zone
	Instant              // nothing: a date with a zone or an offset, or seconds
	Relative             // the time of reading
)

// Date is a date in its canonical form.
type Date struct {
	Text string // the canonical form; "" if the date does not exist
	Kind Kind
}

// IsCanonical reports whether s is a day, or a day and a time, that exists and is in the
// canonical form. Most dates are, and the other forms are slow to read.
func IsCanonical(s string) bool {
	if len(s) == len(time.DateOnly) {
		return isDay(s)
	}
	t, err := time.Parse(time.DateTime, s)
	return err == nil && t.Year() > 0 && len(s) == len(time.DateTime)
}

// isDay reports whether s is a day that exists, YYYY-MM-DD.
func isDay(s string) bool {
	day, err := time.Parse(time.DateOnly, s)
	return err == nil && day.Year() > 0
}

// digits returns the number that the digits of s are; -1 if s has other characters.
func digits(s string) int {
	n, err := strconv.ParseUint("0"+s, 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

// Parse reads a date in any form. ok is false if s has no such form. The date is zero if s has a form but the date
// does not exist, such as 2026-02-30.
func Parse(s string) (d Date, ok bool) {
	if IsCanonical(s) {
		return Date{Text: s, Kind: Local}, true
	}
	s = strings.Join(strings.Fields(s), " ")
	for _, form := range []func(string) (Date, bool){secondsDate, absoluteDate, clockDate, wordsDate} {
		if d, ok = form(s); ok {
			break
		}
	}
	return d, ok
}

// KindOf returns the kind of a date in any form.
func KindOf(s string) Kind {
	d, _ := Parse(s)
	return d.Kind
}

// The tokens of a date in words. The name of a zone is a single token.
var (
	dateToken = regexp.MustCompile(`^(?:[A-Za-z]+(?:/[A-Za-z][A-Za-z_-]*)+|[A-Za-z]+|\d+(?:st|nd|rd|th)?|[-+ ,./:@])`)
	dateWords = strings.Fields(`
		now today midnight noon tomorrow yesterday
		sec secs second seconds min mins minute minutes hour hours day days
		week weeks fortnight fortnights month months year years weekday weekdays
		ago next last previous this first third fourth fifth sixth seventh eighth
		ninth tenth eleventh twelfth of back front am pm t w
		jan january feb february mar march apr april may jun june jul july aug
		august sep sept september oct october nov november dec december
		sun sunday mon monday tue tues tuesday wed wednesday thu thur thurs
		thursday fri friday sat saturday`)
)

// decimal is a number with a fraction. PHP reads 1.5 as a time of today, and the legacy reads
// 1798761600.5 as a day in thousands of years.
var decimal = regexp.MustCompile(`^[-+]?\d*\.\d*$`)

// wordsDate reads a date of tokens that strtotime knows. At least one must be about
// time.
func wordsDate(s string) (Date, bool) {
	if decimal.MatchString(s) {
		return Date{}, false
	}
	aboutTime := false
	for tail := s; tail != ""; {
		token := dateToken.FindString(tail)
		if token == "" {
			return Date{}, false
		}
		tail = tail[len(token):]
		c := token[0]
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			if !slices.Contains(dateWords, strings.ToLower(token)) && !isZone(token) {
				return Date{}, false
			}
			aboutTime = true
		case c == '@' || c == '/' || c == '.' || c == ':':
			aboutTime = true
		}
	}
	return Date{Text: s, Kind: Relative}, aboutTime
}

// namesZone reports whether a date in words has a zone, an offset, or the seconds of an instant. A
// single letter is a zone, except the T before a time and the W before a week. A number with
// a sign is an offset, except an amount and a part of a day.
func namesZone(s string) bool {
	words := beforeTime.ReplaceAllString(unzonedMonthDay.ReplaceAllString(s, "$1 "), "$1 $2")
	words = amount.ReplaceAllString(unzonedDay.ReplaceAllString(words, "$1 "), " ")
	return signed.MatchString(words) || slices.ContainsFunc(letters.FindAllString(words, -1), isZone)
}

// dayBegins is the start, or a character that PHP does not join with a day behind the character: 20 Jul 2027-07-20
// has the offset -07:20.
const (
	dayBegins = `(^|(?:[:.]\d+|[ap]\.?m\.?|noon|midnight|day,?|(?:mon|tue|wed|thu|fri|sat|sun),|` +
		`(?:second|minute|hour|day|week|month|year)s?) )`
	monthWord = `(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*`
)

var (
	// unzonedMonthDay excludes a T behind the day: PHP reads Jul-20T12:00 as July with the offset -20.
	unzonedMonthDay = regexp.MustCompile(`(?i)` + dayBegins + monthWord + `-\d\d?(?:[ ,]|$)`)
	beforeTime      = regexp.MustCompile(`(?i)(^|[^a-z])t(\d\d?:|(?:\d\d){1,3}(?:[^-\d]|$))`)
	unzonedDay      = regexp.MustCompile(`(?i)` + dayBegins + `(?:\d{4}-\d\d?-\d\d?|\d\d?-\d\d?-\d{4}|\d\d-\d\d-\d\d|` +
		`\d\d?-[a-z]{3,}-(?:\d\d){1,2}|` + monthWord + `-\d\d?-\d{4}|\d{4}-` + monthWord + `-\d\d?|` +
		`\d{4}-?w\d\d(?:-?\d)?|\d{4}-\d{1,3})(?:[ ,]|$)`)
	amount = regexp.MustCompile(`(?i)[-+ ]*\d+ ?(?:[mu]?secs?|seconds?|mins?|minutes?|hours?|days?|weeks?|` +
		`fortnights?|months?|years?|weekdays?|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*)\b`)
	signed  = regexp.MustCompile(`(?i)@|[-+] ?\d|(^|[^a-z])[a-z]([^a-z]|$)`)
	letters = regexp.MustCompile(`[A-Za-z]+(?:/[A-Za-z_-]+)*`)
)

// The legacy treats the first second of 1970 as no date and rejects that second, with and without a time, also in a
// filter by whole days. The next second is on the same day, and so equivalent in a filter by whole days, but not in
// a filter by exact times.

// instantLayout is the canonical form of a time with an offset.
const instantLayout = "2006-01-02T15:04:05-07:00"

// epochLayouts are the canonical forms that the first second of 1970 can have.
var epochLayouts = []string{time.DateOnly, time.DateTime, instantLayout}

// AfterEpoch returns the second after a canonical date if that is the first second of 1970, and another date
// unchanged. A date without a zone is read in UTC, as by the legacy, whatever the zone of the site.
func AfterEpoch(text string) string {
	if text == "@0" {
		return "@1"
	}
	for _, layout := range epochLayouts {
		if t, err := time.Parse(layout, text); err == nil && t.Unix() == 0 {
			if layout == time.DateOnly {
				layout = time.DateTime
			}
			return t.Add(time.Second).Format(layout)
		}
	}
	return text
}

// At returns the instant of a date in canonical form, read at now. The instant is zero if the zone or the words of
// the date are unknown here; a zero now makes all words unknown. isInstant is false for a date without a zone.
func At(text string, now time.Time) (instant time.Time, isInstant bool) {
	d, _ := Parse(text)
	switch d.Kind {
	case Relative:
		if !namesZone(text) {
			return time.Time{}, false
		}
		return relative(text, now), true
	case Local:
		return time.Time{}, false
	}
	if seconds, err := strconv.ParseInt(strings.TrimPrefix(text, "@"), 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC(), true
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, true
	}
	i := strings.LastIndexByte(text, ' ')
	zone := Zone(text[i+1:])
	if zone == nil {
		return time.Time{}, true
	}
	instant, _ = time.ParseInLocation(time.DateTime, WithTime(text[:i]), zone)
	return instant, true
}

// Day returns the day of a canonical date.
func Day(date string) string { return date[:min(len(date), len(time.DateOnly))] }

// WithTime returns a canonical date with a time; a day gets midnight.
func WithTime(date string) string {
	if isDay(date) {
		return date + " 00:00:00"
	}
	return date
}
