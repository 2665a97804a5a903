package sim

import (
	"regexp"
	"strings"
	"time"
)

const (
	weekdayForm = `(sun|mon|tue|wed|thu|fri|sat)(?:s?day|nesday|rsday|urday)?\b`
	ordinalForm = `(last|previous|this|next|an?|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth)`
	unitForm    = `(second|sec|minute|min|hour|day|week|fortnight|month|year)s?\b`
)

// dateToken is one form of a part of a date; read gets the groups of the match.
type dateToken struct {
	form *regexp.Regexp
	read func(d *dateText, m []string) bool
}

func token(form string, read func(*dateText, []string) bool) dateToken {
	return dateToken{regexp.MustCompile(`^(?:` + form + `)`), read}
}

// dateTokens are tried in this order: the longer form of two comes first.
var dateTokens = []dateToken{
	token(`(\d{4})-(\d{1,2})-(\d{1,2})`, func(d *dateText, m []string) bool { return d.setDay(atoi(m[1]), atoi(m[2]), atoi(m[3])) }),
	// Five digits are a time of day, if they can be, and a year of one digit.
	token(`(\d{2})(\d{2})(\d)-(\d{2})-(\d{2})\b`, func(d *dateText, m []string) bool {
		if atoi(m[1]) <= 24 && atoi(m[2]) < 60 {
			d.setClock(atoi(m[1]), atoi(m[2]), 0)
		}
		return d.setDay(2000+atoi(m[3]), atoi(m[4]), atoi(m[5]))
	}),
	token(`t?(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?:\s*([ap])\.?m\b\.?)?`, readClock),
	token(`(\d{1,2})()()\s*([ap])\.?m\b\.?`, readClock),
	token(`([a-z]{3,} \d{4})\b`, func(d *dateText, m []string) bool {
		at, err := time.Parse("January 2006", m[1])
		return err == nil && d.setDay(at.Year(), int(at.Month()), 1)
	}),
	token(`(now|today|midnight|noon|tomorrow|yesterday)\b`, readWord),
	// The last day is not imitated.
	token(`first day of\b`, func(d *dateText, _ []string) bool { return d.setDay(d.at.Year(), int(d.at.Month()), 1) }),
	token(ordinalForm+` `+weekdayForm+` of\b`, func(d *dateText, m []string) bool { return d.stepTo(m[2], m[1]+" of") }),
	token(`([+-]?\d+)\s*`+unitForm+`(\s+ago\b)?`, func(d *dateText, m []string) bool { return d.shift(atoi(m[1]), m[2], m[3]) }),
	token(ordinalForm+`\s+`+unitForm+`(\s+ago\b)?`, func(d *dateText, m []string) bool { return d.shift(ordinals[m[1]], m[2], m[3]) }),
	token(`(?:(next|last|this)\s+)?`+weekdayForm, func(d *dateText, m []string) bool { return d.stepTo(m[2], m[1]) }),
	token(`[a-z]+(?:[/_-][a-z]+)*`, readZone),
}

// readClock refuses a second time of day.
func readClock(d *dateText, m []string) bool {
	hour := atoi(m[1])
	switch {
	case d.timed:
		return false
	case m[4] == "p" && hour < 12:
		hour += 12
	case m[4] == "a" && hour == 12:
		hour = 0
	}
	return d.setClock(hour, atoi(m[2]), atoi(m[3]))
}

func readWord(d *dateText, m []string) bool {
	switch m[1] {
	case "now":
		return true
	case "noon":
		return d.setClock(12, 0, 0)
	case "tomorrow":
		d.at = d.at.AddDate(0, 0, 1)
	case "yesterday":
		d.at = d.at.AddDate(0, 0, -1)
	}
	return d.begin()
}

// militaryLetters are zones, from UTC-12 to UTC+12. There is no j.
const militaryLetters = "yxwvutsrqponzabcdefghiklm"

// readZone knows names of zones, abbreviations, and the letters of the military. What the clock
// shows stays.
func readZone(d *dateText, m []string) bool {
	name := m[0]
	if own, ok := abbreviations[name]; ok {
		name = own
	}
	loc, ok := locationByName(name)
	if i := strings.Index(militaryLetters, name); len(name) == 1 && i >= 0 {
		loc, ok = time.FixedZone("", (i-12)*3600), true
	}
	if ok {
		d.at = localTime(d.at, loc)
	}
	return ok
}
