package sim

import (
	"regexp"
	"strings"
	"time"
)

const (
	monthForm   = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?`
	weekdayForm = `(sun|mon|tue|wed|thu|fri|sat)(?:s?day|nesday|rsday|urday)?\b`
	ordinalForm = `(last|previous|this|next|an?|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth)`
	unitForm    = `(second|sec|minute|min|hour|day|week|fortnight|month|year)s?\b`
)

// dateTokens are tried in this order: the longer form of two comes first.
var dateTokens = []dateToken{
	token(`@(-?\d+)\b`, func(d *dateText, m []string) bool {
		at := time.Unix(int64(atoi(m[1])), 0).UTC()
		d.stamp = &at
		return true
	}),
	token(`(\d{4})-?w(\d{2})(?:-?(\d))?`, func(d *dateText, m []string) bool {
		first := time.Date(atoi(m[1]), 1, 4, 0, 0, 0, 0, time.UTC) // always in the first week
		day := first.AddDate(0, 0, -(int(first.Weekday())+6)%7+7*(atoi(m[2])-1)+max(atoi(m[3]), 1)-1)
		return d.setDay(day.Year(), int(day.Month()), day.Day())
	}),
	token(`(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:t\b)?`, func(d *dateText, m []string) bool { return d.setDay(atoi(m[1]), atoi(m[2]), atoi(m[3])) }),
	token(`(\d{1,2})/(\d{1,2})/(\d{4})\b`, func(d *dateText, m []string) bool { return d.setDay(atoi(m[3]), atoi(m[1]), atoi(m[2])) }),
	token(`(\d{1,2})[-.](\d{1,2})[-.](\d{4})\b`, func(d *dateText, m []string) bool { return d.setDay(atoi(m[3]), atoi(m[2]), atoi(m[1])) }),
	// Five digits are a time of day, if they can be, and a year of one digit.
	token(`(\d{2})(\d{2})(\d)-(\d{2})-(\d{2})\b`, func(d *dateText, m []string) bool {
		if atoi(m[1]) <= 24 && atoi(m[2]) < 60 {
			d.setClock(atoi(m[1]), atoi(m[2]), 0)
		}
		return d.setDay(2000+atoi(m[3]), atoi(m[4]), atoi(m[5]))
	}),
	token(`(\d{4})-(\d{2})\b`, func(d *dateText, m []string) bool { return d.setDay(atoi(m[1]), atoi(m[2]), 1) }),
	token(`(\d{4})(\d{2})(\d{2})\b`, func(d *dateText, m []string) bool { return d.setDay(atoi(m[1]), atoi(m[2]), atoi(m[3])) }),
	token(`(\d{4})(\d{2})(\d{2})t(\d{2})(\d{2})(\d{2})\b`, func(d *dateText, m []string) bool {
		return d.setDay(atoi(m[1]), atoi(m[2]), atoi(m[3])) && d.setClock(atoi(m[4]), atoi(m[5]), atoi(m[6]))
	}),
	token(`t?(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?:\s*([ap])\.?m\b\.?)?`, readClock),
	token(`(\d{1,2})()()\s*([ap])\.?m\b\.?`, readClock),
	token(`(\d{1,2})(?:st|nd|rd|th)?[ \-.]*`+monthForm+`[ \-.,]*(\d{4})\b`, func(d *dateText, m []string) bool { return d.setDay(atoi(m[3]), monthNumber(m[2]), atoi(m[1])) }),
	token(monthForm+`[ \-.]*(\d{1,2})(?:st|nd|rd|th)?(?:,\s*|\s+)(\d{4})\b`, func(d *dateText, m []string) bool { return d.setDay(atoi(m[3]), monthNumber(m[1]), atoi(m[2])) }),
	token(monthForm+`[ \-.]*(\d{4})\b`, func(d *dateText, m []string) bool { return d.setDay(atoi(m[2]), monthNumber(m[1]), 1) }),
	token(`(now|today|midnight|noon|tomorrow|yesterday)\b`, readWord),
	token(`(first|last) day of\b`, func(d *dateText, m []string) bool {
		if d.day == nil {
			d.day = &calendarDay{d.now.Year(), int(d.now.Month()), 1}
		}
		return m[1] == "first" // the last one is not imitated
	}),
	token(ordinalForm+` `+weekdayForm+` of\b`, func(d *dateText, m []string) bool {
		d.weekday = &weekdayStep{weekdays[m[2]], m[1] + " of"}
		return true
	}),
	token(`([+-]?\d+)\s*`+unitForm+`(\s+ago\b)?`, func(d *dateText, m []string) bool { return d.shift(signed(atoi(m[1]), m[3]), m[2]) }),
	token(ordinalForm+`\s+`+unitForm+`(\s+ago\b)?`, func(d *dateText, m []string) bool { return d.shift(signed(ordinals[m[1]], m[3]), m[2]) }),
	token(`(?:(next|last|this)\s+)?`+weekdayForm, func(d *dateText, m []string) bool {
		d.weekday = &weekdayStep{weekdays[m[2]], m[1]}
		return true
	}),
	token(`(?:gmt|utc)?([+-])(\d{2}):?(\d{2})`, func(d *dateText, m []string) bool {
		seconds := atoi(m[2])*3600 + atoi(m[3])*60
		d.zone = time.FixedZone("", seconds*map[string]int{"+": 1, "-": -1}[m[1]])
		return true
	}),
	token(`[a-z]+(?:[/_-][a-z]+)*`, readZone),
}

func signed(n int, ago string) int {
	if ago != "" {
		return -n
	}
	return n
}

func monthNumber(name string) int {
	for i, m := range monthNames {
		if strings.HasPrefix(m, name[:3]) {
			return i + 1
		}
	}
	panic("BUG: no such month: " + name)
}

// readClock refuses a second time of day.
func readClock(d *dateText, m []string) bool {
	if d.timed {
		return false
	}
	d.timed = true
	hour := atoi(m[1])
	switch {
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
	case "tomorrow":
		d.days++
	case "yesterday":
		d.days--
	}
	if m[1] == "noon" {
		return d.setClock(12, 0, 0)
	}
	return d.clock != nil || d.setClock(0, 0, 0)
}

// militaryLetters are zones, from UTC-12 to UTC+12. There is no j.
const militaryLetters = "yxwvutsrqponzabcdefghiklm"

// readZone knows names of zones, abbreviations, and the letters of the military.
func readZone(d *dateText, m []string) bool {
	name := m[0]
	if own, ok := abbreviations[name]; ok {
		name = own
	}
	loc, ok := locationByName(name)
	if i := strings.Index(militaryLetters, name); len(name) == 1 && i >= 0 {
		loc, ok = time.FixedZone("", (i-12)*3600), true
	}
	d.zone = loc
	return ok
}

// dateToken is one form of a part of a date; read gets the groups of the match.
type dateToken struct {
	form *regexp.Regexp
	read func(d *dateText, m []string) bool
}

func token(form string, read func(*dateText, []string) bool) dateToken {
	return dateToken{regexp.MustCompile(`^(?:` + form + `)`), read}
}
