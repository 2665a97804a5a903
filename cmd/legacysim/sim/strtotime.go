package sim

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping/dates"
)

// strtotime reads what PHP's function of that name commonly reads, and numbers, which
// are seconds since 1970. Missing parts are today's. The date is in the zone
// that the text names, else in loc; a number is in UTC.
func strtotime(s string, now time.Time, loc *time.Location) (time.Time, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && s[0] != '+' {
		return time.Unix(n, 0).UTC(), true
	}
	switch date, _ := dates.Parse(s); {
	case date.Text == "" || date.Kind == dates.Relative: // nor is a day that the calendar lacks absolute
	case date.Kind == dates.Local:
		at, err := time.ParseInLocation(dateTime, dates.WithTime(date.Text), loc)
		return at, err == nil
	default:
		if at, _ := dates.At(date.Text); !at.IsZero() {
			return at, true
		}
	}
	d := &dateText{at: now.In(loc), rest: strings.ToLower(strings.TrimSpace(s))}
	for d.rest != "" {
		if !d.next() {
			return time.Time{}, false
		}
		d.rest = strings.TrimLeft(d.rest, " ,\t")
	}
	return d.weekday(d.at), true
}

// parseDate reads a date. Without a zone it is in loc.
func parseDate(s string, now time.Time, loc *time.Location) (time.Time, bool) {
	if s == "" {
		return time.Time{}, false
	}
	at, ok := strtotime(s, now, loc)
	return at.In(loc), ok
}

// dateText is a text that is read from left to right.
type dateText struct {
	at    time.Time // what the text before rest makes of now
	rest  string
	timed bool // the text has had a time of day

	step *weekdayStep // made after all else
}

// next reads the first token that fits, and reports whether one did.
func (d *dateText) next() bool {
	for _, t := range dateTokens {
		if m := t.form.FindStringSubmatch(d.rest); m != nil && t.read(d, m) {
			d.rest = d.rest[len(m[0]):]
			return true
		}
	}
	return false
}

// begin goes to the beginning of the day, unless the text has had a time.
func (d *dateText) begin() bool {
	if !d.timed {
		d.at = midnight(d.at)
	}
	return true
}

// setDay accepts a month from 1 to 12, and a day that the month need not have.
func (d *dateText) setDay(year, month, day int) bool {
	hour, minute, second := d.at.Clock()
	d.at = time.Date(year, time.Month(month), day, hour, minute, second, 0, d.at.Location())
	return d.begin() && month <= 12 && day <= 31
}

// setClock accepts 24:00, and a minute and second below 60.
func (d *dateText) setClock(hour, minute, second int) bool {
	year, month, day := d.at.Date()
	d.at, d.timed = time.Date(year, month, day, hour, minute, second, 0, d.at.Location()), true
	return hour <= 24 && minute < 60 && second < 60
}

var (
	clockUnits = map[string]time.Duration{
		"sec": time.Second, "second": time.Second, "min": time.Minute, "minute": time.Minute, "hour": time.Hour,
	}
	dayUnits = map[string]int{"day": 1, "week": 7, "fortnight": 14}
)

func (d *dateText) shift(n int, unit, ago string) bool {
	if ago != "" {
		n = -n
	}
	switch unit {
	case "year":
		d.at = d.at.AddDate(n, 0, 0)
	case "month":
		d.at = d.at.AddDate(0, n, 0)
	default:
		d.at = d.at.AddDate(0, 0, n*dayUnits[unit]).Add(time.Duration(n) * clockUnits[unit])
	}
	return true
}

// weekdayStep is the weekday to go to: the nearest one that is not past, the one
// after today, the one before it, or one counted within the month.
type weekdayStep struct {
	day   time.Weekday
	which string
}

// stepTo begins at the first of the month where the weekday is counted in it.
func (d *dateText) stepTo(name, which string) bool {
	d.step = &weekdayStep{weekdays[name], which}
	if strings.HasSuffix(which, " of") {
		d.at = d.at.AddDate(0, 0, 1-d.at.Day())
	}
	return d.begin()
}

// weekday counts today as "this" but neither as "next" nor as "last".
func (d *dateText) weekday(at time.Time) time.Time {
	if d.step == nil {
		return at
	}
	ahead := (int(d.step.day) - int(at.Weekday()) + 7) % 7
	switch which, counted := strings.CutSuffix(d.step.which, " of"); {
	case counted && which == "last":
		next := at.AddDate(0, 1, 0)
		return next.AddDate(0, 0, -((int(next.Weekday())-int(d.step.day)+6)%7 + 1))
	case counted:
		ahead += 7 * (ordinals[which] - 1)
	case which == "next" && ahead == 0:
		ahead = 7
	case which == "last":
		ahead -= 7
	}
	return at.AddDate(0, 0, ahead)
}

var (
	weekdays = map[string]time.Weekday{"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}
	ordinals = map[string]int{
		"last": -1, "previous": -1, "this": 0, "a": 1, "an": 1, "next": 1, "first": 1, "second": 2, "third": 3,
		"fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12,
	}
	abbreviations = map[string]string{
		"cet": "Etc/GMT-1", "cest": "Etc/GMT-2", "est": "Etc/GMT+5", "edt": "Etc/GMT+4", "pst": "Etc/GMT+8", "bst": "Etc/GMT-1",
	}
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

// offsetZones are the zones that the plugin makes of offsets. Any other offset is
// UTC to it.
var offsetZones = map[string]string{
	"UTC+1": "Europe/Berlin", "UTC+2": "Europe/Helsinki", "UTC+3": "Europe/Moscow", "UTC+5:30": "Asia/Kolkata", "UTC+5.5": "Asia/Kolkata",
	"UTC+8": "Asia/Shanghai", "UTC+9": "Asia/Tokyo",
	"UTC-3": "America/Sao_Paulo", "UTC-5": "America/New_York", "UTC-8": "America/Los_Angeles",
}

var (
	offsetName = regexp.MustCompile(`(?i)^UTC[+-]?\d*(?:[.:]\d+)?$`)
	plainShift = regexp.MustCompile(`^(?:GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$`)
)

// eventZone finds an event's time zone by a name in any case of letters, by an
// offset from UTC, or by a letter.
func eventZone(name string) (*time.Location, bool) {
	name = strings.TrimSpace(name)
	switch m := plainShift.FindStringSubmatch(name); {
	case name == "Z":
		return time.UTC, true
	case offsetZones[name] != "":
		name = offsetZones[name]
	case offsetName.MatchString(name):
		return time.UTC, true
	case m != nil:
		seconds := atoi(m[2])*3600 + atoi(m[3])*60
		if m[1] == "-" {
			seconds = -seconds
		}
		return time.FixedZone("", seconds), true
	}
	return locationByName(name)
}

// locationByName loads a zone. Go minds the case of letters, and PHP does not.
func locationByName(name string) (*time.Location, bool) {
	if name == "" || strings.EqualFold(name, "local") {
		return nil, false
	}
	if strings.Contains(name, "/") {
		loc := dates.Zone(name)
		return loc, loc != nil
	}
	for _, spelling := range []string{name, strings.ToUpper(name)} {
		if loc, err := time.LoadLocation(spelling); err == nil {
			return loc, true
		}
	}
	return nil, false
}

// abbreviation is the short name of an event's zone at a time. The name of an offset is
// the offset.
func abbreviation(name string, at time.Time) string {
	short := at.Format("MST")
	switch {
	case offsetName.MatchString(name) && !strings.EqualFold(name, "utc"), name == "Z":
		return name
	case plainShift.MatchString(name):
		return "GMT" + at.Format("-0700")
	}
	return short
}
