package mapping

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The legacy hands dates to PHP's strtotime, which reads nearly anything. The
// facade checks the forms that name a day as real dates and brings them to one
// form each:
//
//	2026-11-21                  a day of the site
//	2026-11-21 10:00:00         a time of the site
//	2026-11-21T10:00:00+01:00   an instant, with the offset that was given
//	1798761600                  seconds since 1970 (a plain number is never a year)
//
// What depends on the day it is read on (now, tomorrow, +1 week, next monday) is
// passed on if every word of it is one that strtotime knows.

var absolute = regexp.MustCompile(`^(\d{4})[-/](\d{1,2})[-/](\d{1,2})` +
	`(?:[Tt ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*([Zz]|(?i:utc|gmt)|[+-]\d{2}:?\d{2})?)?$`)

// The tokens of a form that is not absolute.
var (
	dateToken = regexp.MustCompile(`^(?:[A-Za-z]+|\d+(?:st|nd|rd|th)?|[-+ ,./:@])`)
	dateWords = strings.Fields(`
		now today midnight noon tomorrow yesterday
		sec secs second seconds min mins minute minutes hour hours day days
		week weeks fortnight fortnights month months year years weekday weekdays
		ago next last previous this first third fourth fifth sixth seventh eighth
		ninth tenth eleventh twelfth of back front am pm t w z utc gmt
		jan january feb february mar march apr april may jun june jul july aug
		august sep sept september oct october nov november dec december
		sun sunday mon monday tue tues tuesday wed wednesday thu thur thurs
		thursday fri friday sat saturday`)
)

func (p *Param) date(s string) (value, *Fault) {
	if isCanonicalDate(s) {
		return textValue(s), nil
	}
	return p.anyDate(s)
}

func (p *Param) anyDate(s string) (value, *Fault) {
	s = strings.Join(strings.Fields(s), " ")
	if s != "" && isIndex(s) {
		return p.epoch(s)
	}
	if m := absolute.FindStringSubmatch(s); m != nil {
		canonical, ok := canonicalDate(m)
		if !ok {
			return value{}, p.fault(codeDate, "unreal_date")
		}
		return textValue(canonical), nil
	}
	if !readable(s) {
		return value{}, p.fault(codeDate, "date")
	}
	return textValue(strings.ToLower(s)), nil
}

// isCanonicalDate reports whether s is a real day of the site, or a time of one,
// in the form that it is brought to. Most dates are, and the expression below is
// slow.
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

func (p *Param) epoch(s string) (value, *Fault) {
	i, err := strconv.ParseInt(s, 10, 64)
	if err != nil || i > 253402300799 { // the end of the year 9999
		return value{}, p.fault(codeDate, "unreal_date")
	}
	return textValue(strconv.FormatInt(i, 10)), nil
}

// canonicalDate brings the parts of an absolute form to their one form, or
// reports that there is no such day or time.
func canonicalDate(m []string) (string, bool) {
	n := func(i int) int { x, _ := strconv.Atoi(m[i]); return x }
	day := time.Date(n(1), time.Month(n(2)), n(3), n(4), n(5), n(6), 0, time.UTC)
	exists := day.Year() == n(1) && int(day.Month()) == n(2) && day.Day() == n(3) &&
		day.Hour() == n(4) && day.Minute() == n(5) && day.Second() == n(6)
	if !exists || n(1) == 0 {
		return "", false
	}
	if m[4] == "" {
		return day.Format(time.DateOnly), true
	}
	fraction := ""
	if digits := strings.TrimRight(m[7], "0"); digits != "" {
		fraction = "." + digits
	}
	if m[8] == "" {
		return day.Format(time.DateTime) + fraction, true
	}
	zone, ok := offset(m[8])
	return day.Format("2006-01-02T15:04:05") + fraction + zone, ok
}

// offset gives a zone as +hh:mm.
func offset(s string) (string, bool) {
	if s[0] != '+' && s[0] != '-' {
		return "+00:00", true
	}
	hours, minutes := s[1:3], s[len(s)-2:]
	if hours > "14" || minutes > "59" {
		return "", false
	}
	if hours == "00" && minutes == "00" {
		return "+00:00", true
	}
	return s[:3] + ":" + minutes, true
}

// readable reports whether every token is one that strtotime knows, and one of
// them says something about time.
func readable(s string) bool {
	said := false
	for s != "" {
		token := dateToken.FindString(s)
		if token == "" {
			return false
		}
		s = s[len(token):]
		switch c := token[0]; {
		case c >= '0' && c <= '9':
		case c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z':
			if !slices.Contains(dateWords, strings.ToLower(token)) {
				return false
			}
			said = true
		case c == '@' || c == '/' || c == '.':
			said = true
		}
	}
	return said
}
