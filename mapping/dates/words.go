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

// fractionOfSeconds is seconds since 1970 with a fraction, which the legacy reads as a day
// in thousands of years.
var fractionOfSeconds = regexp.MustCompile(`^\d{5,}\.\d+$`)

// wordsDate reads a date of tokens that strtotime knows, at least one of which is about
// time.
func wordsDate(s string) (Date, bool) {
	if fractionOfSeconds.MatchString(s) {
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
		case c == '@' || c == '/' || c == '.':
			aboutTime = true
		}
	}
	return Date{s, Relative}, aboutTime
}
