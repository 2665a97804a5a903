package dates

import (
	"regexp"
	"slices"
	"strings"
)

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

// wordsDate reads a date of tokens that strtotime knows, at least one of which is about
// time.
func wordsDate(s string) (Date, bool) {
	if decimal.MatchString(s) {
		return Date{}, false
	}
	aboutTime := false
	for rest := s; rest != ""; {
		token := dateToken.FindString(rest)
		if token == "" {
			return Date{}, false
		}
		rest = rest[len(token):]
		switch c := token[0]; {
		case isLetter(c):
			if !slices.Contains(dateWords, strings.ToLower(token)) && !isZone(token) {
				return Date{}, false
			}
			aboutTime = true
		case c == '@' || c == '/' || c == '.' || c == ':':
			aboutTime = true
		}
	}
	return Date{s, Relative}, aboutTime
}

// namesZone reports whether a date in words has a zone, an offset, or the seconds of an instant. A
// single letter is a zone, unless it is the T before a time or the W before a week. A number with
// a sign is an offset, unless it is an amount or a part of a day.
func namesZone(s string) bool {
	rest := beforeTime.ReplaceAllString(unzonedMonthDay.ReplaceAllString(s, "$1 "), "$1 $2")
	rest = amount.ReplaceAllString(unzonedDay.ReplaceAllString(rest, "$1 "), " ")
	return signed.MatchString(rest) || slices.ContainsFunc(letters.FindAllString(rest, -1), isZone)
}

// dayBegins is the start, or what PHP does not join with a day behind it: 20 Jul 2027-07-20 has the
// offset -07:20.
const (
	dayBegins = `(^|(?:[:.]\d+|[ap]\.?m\.?|noon|midnight|day,?|(?:mon|tue|wed|thu|fri|sat|sun),|` +
		`(?:second|minute|hour|day|week|month|year)s?) )`
	monthWord = `(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*`
)

var (
	// unzonedMonthDay has no T behind it: PHP reads Jul-20T12:00 as July with the offset -20.
	unzonedMonthDay = regexp.MustCompile(`(?i)` + dayBegins + monthWord + `-\d\d?(?:[ ,]|$)`)
	beforeTime      = regexp.MustCompile(`(?i)(^|[^a-z])t(\d\d?:|(?:\d\d){1,3}(?:[^-\d]|$))`)
	unzonedDay      = regexp.MustCompile(`(?i)` + dayBegins + `(?:\d{4}-\d\d?-\d\d?|\d\d?-\d\d?-\d{4}|\d\d-\d\d-\d\d|` +
		`\d\d?-[a-z]{3,}-(?:\d\d){1,2}|` + monthWord + `-\d\d?-\d{4}|\d{4}-` + monthWord + `-\d\d?|\d{4}-?w\d\d(?:-?\d)?|\d{4}-\d{1,3})(?:[ ,]|$)`)
	amount  = regexp.MustCompile(`(?i)[-+ ]*\d+ ?(?:[mu]?secs?|seconds?|mins?|minutes?|hours?|days?|weeks?|fortnights?|months?|years?|weekdays?|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*)\b`)
	signed  = regexp.MustCompile(`(?i)@|[-+] ?\d|(^|[^a-z])[a-z]([^a-z]|$)`)
	letters = regexp.MustCompile(`[A-Za-z]+(?:/[A-Za-z_-]+)*`)
)
