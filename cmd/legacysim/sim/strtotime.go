package sim

import (
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping/dates"
)

// strtotime reads what PHP's function of that name commonly reads, and numbers, which
// are seconds since 1970. Missing parts are those of now. The date is in the zone
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
