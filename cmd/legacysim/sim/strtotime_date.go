package sim

import (
	"strings"
	"time"
)

// dateText is a text that is read from left to right, with the parts read so far.
type dateText struct {
	now  time.Time
	rest string

	stamp  *time.Time
	day    *calendarDay
	clock  *[3]int
	timed  bool // the text has had a time of day in digits
	zone   *time.Location
	months int // to be added, and so on
	days   int
	offset time.Duration
	// weekday is to be reached after all else is done.
	weekday *weekdayStep
}

type calendarDay struct{ year, month, day int }

// weekdayStep is the weekday to go to: the nearest one that is not past, the one
// after today, the one before it, or one counted within the month.
type weekdayStep struct {
	day   time.Weekday
	which string
}

// setDay accepts a month from 1 to 12, and a day that the month need not have.
func (d *dateText) setDay(year, month, day int) bool {
	d.day = &calendarDay{year, month, day}
	return month <= 12 && day <= 31
}

// setClock accepts 24:00, and a minute and second below 60.
func (d *dateText) setClock(hour, minute, second int) bool {
	d.clock = &[3]int{hour, minute, second}
	return hour <= 24 && minute < 60 && second < 60
}

func (d *dateText) shift(n int, unit string) bool {
	switch unit {
	case "sec", "second":
		d.offset += time.Duration(n) * time.Second
	case "min", "minute":
		d.offset += time.Duration(n) * time.Minute
	case "hour":
		d.offset += time.Duration(n) * time.Hour
	case "day":
		d.days += n
	case "week":
		d.days += 7 * n
	case "fortnight":
		d.days += 14 * n
	case "month":
		d.months += n
	default:
		d.months += 12 * n
	}
	return true
}

// time combines the parts of the text. A day without a time of day begins at midnight;
// an empty text is now.
func (d *dateText) time() (time.Time, bool) {
	if d.stamp != nil {
		return *d.stamp, true
	}
	at := d.now
	if d.zone != nil {
		at = localTime(at, d.zone) // its clock, not its instant
	}
	year, month, day := at.Date()
	if d.day != nil {
		year, month, day = d.day.year, time.Month(d.day.month), d.day.day
	}
	hour, minute, second := at.Clock()
	switch {
	case d.clock != nil:
		hour, minute, second = d.clock[0], d.clock[1], d.clock[2]
	case d.day != nil || d.weekday != nil:
		hour, minute, second = 0, 0, 0
	}
	if d.weekday != nil && d.weekday.counted() {
		day = 1
	}
	at = time.Date(year, month+time.Month(d.months), day+d.days, hour, minute, second, 0, at.Location())
	return d.weekday.from(at).Add(d.offset), true
}

func (w *weekdayStep) counted() bool { return strings.HasSuffix(w.which, " of") }

// from counts today as "this" but neither as "next" nor as "last". In a month it
// begins at the first of it.
func (w *weekdayStep) from(at time.Time) time.Time {
	if w == nil {
		return at
	}
	ahead := (int(w.day) - int(at.Weekday()) + 7) % 7
	switch {
	case w.which == "last of":
		next := at.AddDate(0, 1, 0)
		return next.AddDate(0, 0, -((int(next.Weekday())-int(w.day)+6)%7 + 1))
	case w.counted():
		return at.AddDate(0, 0, ahead+7*(ordinals[strings.TrimSuffix(w.which, " of")]-1))
	case w.which == "next" && ahead == 0:
		ahead = 7
	case w.which == "last":
		ahead -= 7
	}
	return at.AddDate(0, 0, ahead)
}

var (
	monthNames = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
	weekdays   = map[string]time.Weekday{"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}
	ordinals   = map[string]int{
		"last": -1, "previous": -1, "this": 0, "a": 1, "an": 1, "next": 1, "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6,
		"seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12,
	}
	abbreviations = map[string]string{"cet": "Etc/GMT-1", "cest": "Etc/GMT-2", "est": "Etc/GMT+5", "edt": "Etc/GMT+4", "pst": "Etc/GMT+8", "bst": "Etc/GMT-1"}
)
