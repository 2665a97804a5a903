package sim

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping/dates"
)

// strtotime reads the common forms of PHP's function of that name, and numbers, which
// are seconds since 1970. Missing parts are today's. The date is in the zone
// that the text names, else in loc; a number is in UTC.
func strtotime(s string, now time.Time, loc *time.Location) (time.Time, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && s[0] != '+' {
		return time.Unix(n, 0).UTC(), true
	}
	switch date, _ := dates.Parse(s); {
	case date.Text == "" || date.Kind == dates.Relative: // nor is a day that the calendar lacks absolute
	case date.Kind == dates.Local:
		t, err := time.ParseInLocation(dateTime, dates.WithTime(date.Text), loc)
		return t, err == nil
	default:
		if t, _ := dates.At(date.Text, now); !t.IsZero() {
			return t, true
		}
	}
	if t, ok := dates.InWords(s, now.In(loc)); ok {
		return t, true
	}
	d := &dateText{date: now.In(loc), tail: strings.ToLower(strings.TrimSpace(s))}
	for d.tail != "" {
		if !d.next() {
			return time.Time{}, false
		}
		d.tail = strings.TrimLeft(d.tail, " ,\t")
	}
	if d.last != nil {
		next := d.date.AddDate(0, 1, 1-d.date.Day())
		d.date = next.AddDate(0, 0, -((int(next.Weekday())-int(*d.last)+6)%7 + 1))
	}
	return d.date, true
}

// parseDate reads a date. A date without a zone is in loc.
func parseDate(s string, now time.Time, loc *time.Location) (time.Time, bool) {
	if s == "" {
		return time.Time{}, false
	}
	t, ok := strtotime(s, now, loc)
	return t.In(loc), ok
}

// dateText is a text that is read from left to right.
type dateText struct {
	date  time.Time // now, changed by the text before tail
	tail  string
	timed bool // the text has had a time of day

	last *time.Weekday // to go to in the month, after all else
}

// next reads the first token that fits, and reports whether one did.
func (d *dateText) next() bool {
	for _, t := range dateTokens {
		if m := t.form.FindStringSubmatch(d.tail); m != nil && t.apply(d, m) {
			d.tail = d.tail[len(m[0]):]
			return true
		}
	}
	return false
}

// begin goes to the beginning of the day, unless the text has had a time.
func (d *dateText) begin() bool {
	if !d.timed {
		d.date = midnight(d.date)
	}
	return true
}

// setDay accepts a month from 1 to 12, and a day that the month need not have.
func (d *dateText) setDay(year, month, day int) bool {
	hour, minute, second := d.date.Clock()
	d.date = time.Date(year, time.Month(month), day, hour, minute, second, 0, d.date.Location())
	return d.begin() && month <= 12 && day <= 31
}

// setClock accepts 24:00, and a minute and second below 60.
func (d *dateText) setClock(hour, minute, second int) bool {
	year, month, day := d.date.Date()
	d.date = time.Date(year, month, day, hour, minute, second, 0, d.date.Location())
	d.timed = true
	return hour <= 24 && minute < 60 && second < 60
}

// units are years, months and days.
var units = map[string][3]int{"day": {0, 0, 1}, "week": {0, 0, 7}, "month": {0, 1, 0}, "year": {1, 0, 0}}

func (d *dateText) shift(n int, unit string) bool {
	u := units[unit]
	d.date = d.date.AddDate(n*u[0], n*u[1], n*u[2])
	return true
}

// lastOf goes to the last of a weekday in the month that the text names.
func (d *dateText) lastOf(name string) bool {
	day := weekdays[name]
	d.last = &day
	return d.begin()
}

var (
	weekdays      = map[string]time.Weekday{"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}
	ordinals      = strings.Fields("last this next second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
	abbreviations = map[string]string{
		"cet": "Etc/GMT-1", "cest": "Etc/GMT-2", "est": "Etc/GMT+5", "edt": "Etc/GMT+4", "pst": "Etc/GMT+8", "bst": "Etc/GMT-1",
	}
)

const (
	weekdayForm = `(sun|mon|tue|wed|thu|fri|sat)(?:s?day|nesday|rsday|urday)?\b`
	unitForm    = `(day|week|month|year)s?\b`
)

// dateToken is one form of a part of a date; read gets the groups of the match.
type dateToken struct {
	form  *regexp.Regexp
	apply func(d *dateText, m []string) bool
}

func token(form string, apply func(*dateText, []string) bool) dateToken {
	return dateToken{form: regexp.MustCompile(`^(?:` + form + `)`), apply: apply}
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
		month, err := time.Parse("January 2006", m[1])
		return err == nil && d.setDay(month.Year(), int(month.Month()), 1)
	}),
	token(`(now|today|midnight|noon|tomorrow|yesterday)\b`, readWord),
	// The last day is not imitated.
	token(`first day of\b`, func(d *dateText, _ []string) bool { return d.setDay(d.date.Year(), int(d.date.Month()), 1) }),
	token(`last `+weekdayForm+` of\b`, func(d *dateText, m []string) bool { return d.lastOf(m[1]) }),
	token(`([+-]?\d+)\s*`+unitForm, func(d *dateText, m []string) bool { return d.shift(atoi(m[1]), m[2]) }),
	token(`(`+strings.Join(ordinals, "|")+`)\s+`+unitForm, func(d *dateText, m []string) bool {
		return d.shift(slices.Index(ordinals, m[1])-1, m[2])
	}),
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
		d.date = d.date.AddDate(0, 0, 1)
	case "yesterday":
		d.date = d.date.AddDate(0, 0, -1)
	}
	return d.begin()
}

// militaryLetters are zones, from UTC-12 to UTC+12. There is no j.
const militaryLetters = "yxwvutsrqponzabcdefghiklm"

// readZone knows names of zones, abbreviations, and the letters of the military. The time on the clock stays.
func readZone(d *dateText, m []string) bool {
	name := m[0]
	loc := dates.Zone(cmp.Or(abbreviations[name], name))
	i := strings.Index(militaryLetters, name)
	if len(name) == 1 && i >= 0 {
		loc = time.FixedZone("", (i-12)*3600)
	}
	if loc != nil {
		d.date = localTime(d.date, loc)
	}
	return loc != nil
}

// offsetZones are the zones that the plugin makes of offsets.
var offsetZones = map[string]string{
	"UTC+1": "Europe/Berlin", "UTC+2": "Europe/Helsinki", "UTC+3": "Europe/Moscow", "UTC+5:30": "Asia/Kolkata", "UTC+5.5": "Asia/Kolkata",
	"UTC+8": "Asia/Shanghai", "UTC+9": "Asia/Tokyo",
	"UTC-3": "America/Sao_Paulo", "UTC-5": "America/New_York", "UTC-8": "America/Los_Angeles",
}

var (
	offsetName = regexp.MustCompile(`(?i)^UTC[+-]?\d*(?:[.:]\d+)?$`)
	plainShift = regexp.MustCompile(`^(?:GMT)?[+-]\d{1,2}(?::?\d{2})?$`)
)

// eventZone finds an event's time zone by a name in any case of letters, by an offset from UTC, or by a
// letter. An offset that is too far means UTC.
func eventZone(name string) (*time.Location, bool) {
	name = strings.TrimSpace(name)
	loc := dates.Zone(cmp.Or(offsetZones[name], name)) // names without an area are not imitated, but for UTC
	if loc == nil && offsetName.MatchString(name) {
		loc = time.UTC
	}
	return loc, loc != nil
}

// abbreviation is the short name of an event's zone at a time. The name of an offset is
// the offset.
func abbreviation(name string, t time.Time) string {
	switch {
	case offsetName.MatchString(name) && !strings.EqualFold(name, "utc"), name == "Z":
		return name
	case plainShift.MatchString(name):
		return "GMT" + t.Format("-0700")
	}
	return t.Format("MST")
}
