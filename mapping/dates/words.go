package dates

import (
	"regexp"
	"strings"
	"time"
)

// words is a date in words, such as next monday 18:00 +02:00.
type words struct {
	zone *time.Location // nil without a zone that is known here

	day      time.Time // the date in the text; zero is today
	midnight bool      // the text names a day, which begins at midnight
	timed    bool      // the text has a time of the day
	hour     int
	minute   int
	second   int

	weekday       *time.Weekday // nil without one
	strictlyLater bool          // the weekday is never the day itself
	inWeek        bool          // the weekday is in the week of the day, which begins on Monday

	months int
	days   int
	span   time.Duration // exact: the change of clocks does not count
}

// instant returns the instant that the text means at a moment; ok is false for a text without a zone, and for a year
// that does not have four digits.
//
// The zone of the text decides which day is today. PHP takes the day from the zone of the server and the time
// from the text: to PHP, at 23:00 UTC, today 10:00 +02:00 is over.
func (w *words) instant(now time.Time) (t time.Time, ok bool) {
	// Next week is a Monday to PHP, and in seven days to most people; Monday 24:00 begins its Monday.
	if w.zone == nil || w.inWeek && w.weekday == nil || w.hour == 24 && w.weekday != nil {
		return time.Time{}, false
	}
	now = now.In(w.zone)
	day := w.day
	if day.IsZero() {
		day = now
	}
	hour, minute, second := now.Clock()
	if w.midnight || w.timed {
		hour, minute, second = w.hour, w.minute, w.second
	}
	shift := w.days
	if w.weekday != nil {
		shift += w.toWeekday(*w.weekday, day.Weekday())
	}
	month := day.Month() + time.Month(w.months)
	t = time.Date(day.Year(), month, day.Day()+shift, hour, minute, second, 0, w.zone).Add(w.span)
	return t, t.Year() > 0 && t.Year() <= 9999
}

// toWeekday returns the days from a day to a weekday. As in PHP, the search goes in the direction of the days that
// are added afterwards.
func (w *words) toWeekday(weekday, day time.Weekday) int {
	if w.inWeek {
		return int(weekday+6)%7 - int(day+6)%7
	}
	days := int(weekday - day)
	isPast := days < 0 || days == 0 && w.strictlyLater && w.days >= 0
	if isPast {
		days += 7
	}
	return days
}

// wordForm is a form of a part of a date in words. apply gets the groups of form in lower case, and reports whether
// the part may stand behind the parts before.
type wordForm struct {
	form  *regexp.Regexp
	apply func(w *words, m []string) bool
}

func formOf(form string, apply func(*words, []string) bool) wordForm {
	return wordForm{form: regexp.MustCompile(`^(?i)(?:` + form + `)`), apply: apply}
}

const (
	weekdayForm = `(sun|mon|tue|wed|thu|fri|sat)(?:s?day|nesday|rsday|urday)?\b`
	unitForm    = `(sec|second|min|minute|hour|day|week|fortnight|month|year)s?\b`
	besideForm  = `(next|this|last|previous) `
)

// wordForms are tried in this order: +2 days is an amount, and +2 a zone.
var wordForms = []wordForm{
	formOf(`(\d{4}-\d\d-\d\d)(?:[ ,T]|$)`, (*words).readDate),
	formOf(`T?(\d{1,2})(?::(\d\d)(?::(\d\d))?)?(?: ?([ap])\.?m\b\.?)?`, (*words).readTime),
	formOf(`([-+]?) ?(\d{1,5}) ?`+unitForm, (*words).readAmount),
	formOf(`ago\b`, (*words).readAgo),
	formOf(`(now|today|midnight|noon|tomorrow|yesterday)\b`, (*words).readDay),
	formOf(weekdayForm, func(w *words, m []string) bool { return w.setWeekday(m[1]) }),
	formOf(besideForm+weekdayForm, (*words).readNextWeekday),
	formOf(besideForm+unitForm, (*words).readNextUnit),
	formOf(`(z|utc|gmt|(?:utc|gmt)?[-+]\d{1,2}(?::?\d\d)?|[a-z]+(?:/[a-z_-]+)+)(?:[ ,]|$)`, (*words).readZone),
}

// InWords returns the time that words without a zone mean in the zone of now; ok is false for others, and for
// words that [At] does not read.
func InWords(s string, now time.Time) (t time.Time, ok bool) {
	w, ok := readWords(strings.Join(strings.Fields(s), " "))
	if !ok || w.zone != nil {
		return time.Time{}, false
	}
	w.zone = now.Location()
	return w.instant(now)
}

// relative returns the instant of a date in words with a zone; zero for other dates.
func relative(s string, now time.Time) time.Time {
	if w, ok := readWords(s); ok && !now.IsZero() {
		if t, ok := w.instant(now); ok {
			return t
		}
	}
	return time.Time{}
}

// readWords reads a date in words. ok is false for words that are not read here, and for an order of words that
// PHP reads otherwise than people do: to PHP 10:00 tomorrow is the midnight before.
func readWords(s string) (w *words, ok bool) {
	if len(s) > maxAbsolute { // so that the sum of the amounts cannot overflow
		return nil, false
	}
	w = &words{}
	for s != "" {
		n := w.next(s)
		if n == 0 {
			return nil, false
		}
		s = strings.TrimLeft(s[n:], " ,")
	}
	return w, true
}

// next reads the first part of a text, and returns its length; 0 for a part that is not read.
func (w *words) next(s string) int {
	for _, f := range wordForms {
		m := f.form.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		length := len(m[0])
		if f.apply(w, m) {
			return length
		}
	}
	return 0
}

// setDay begins a day days from today. A text has one, before its time and its amounts.
func (w *words) setDay(days int) bool {
	isFirst := !w.midnight && !w.timed && w.days == 0
	w.midnight = true
	w.days = days
	return isFirst
}

func (w *words) setTime(hour, minute, second int) bool {
	isFirst := !w.timed
	w.timed = true
	w.hour = hour
	w.minute = minute
	w.second = second
	_, exists := timeOf(time.Time{}, hour, minute, second)
	return isFirst && exists
}

func (w *words) setWeekday(name string) bool {
	isFirst := w.weekday == nil && !w.timed
	day := weekdays[strings.ToLower(name)]
	w.weekday = &day
	w.midnight = true
	return isFirst
}

var weekdays = map[string]time.Weekday{"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}

func (w *words) readDate(m []string) bool {
	day, err := time.Parse(time.DateOnly, m[1])
	w.day = day
	return err == nil && w.setDay(0)
}

func (w *words) readTime(m []string) bool {
	hour := hour24(digits(m[1]), strings.ToLower(m[4]))
	return (m[2] != "" || m[4] != "") && w.setTime(hour, digits(m[2]), digits(m[3]))
}

func (w *words) readDay(m []string) bool {
	switch strings.ToLower(m[1]) {
	case "now":
		return true
	case "noon":
		return w.setTime(12, 0, 0)
	case "tomorrow":
		return w.setDay(1)
	case "yesterday":
		return w.setDay(-1)
	}
	return w.setDay(0)
}

func (w *words) readAmount(m []string) bool {
	n := digits(m[2])
	if m[1] == "-" {
		n = -n
	}
	w.add(n, m[3])
	return true
}

// readAgo reverses the preceding amounts, as PHP does.
func (w *words) readAgo([]string) bool {
	w.months = -w.months
	w.days = -w.days
	w.span = -w.span
	return w.weekday == nil && !w.midnight
}

// steps has the number of units that a word before a unit adds.
var steps = map[string]int{"next": 1, "this": 0, "last": -1, "previous": -1}

func (w *words) readNextUnit(m []string) bool {
	w.inWeek = w.inWeek || strings.EqualFold(m[2], "week")
	w.add(steps[strings.ToLower(m[1])], m[2])
	return true
}

func (w *words) readNextWeekday(m []string) bool {
	step := steps[strings.ToLower(m[1])]
	w.strictlyLater = step != 0
	w.days += 7 * min(step, 0)
	return w.setWeekday(m[2])
}

// add adds n of a unit.
func (w *words) add(n int, unit string) {
	unit = strings.ToLower(unit)
	switch unit {
	case "day":
		w.days += n
	case "week":
		w.days += 7 * n
	case "fortnight":
		w.days += 14 * n
	case "month":
		w.months += n
	case "year":
		w.months += 12 * n
	default:
		w.span += time.Duration(n) * spans[unit]
	}
}

var spans = map[string]time.Duration{
	"sec": time.Second, "second": time.Second, "min": time.Minute, "minute": time.Minute, "hour": time.Hour,
}

func (w *words) readZone(m []string) bool {
	isFirst := w.zone == nil
	name := m[1]
	if !strings.Contains(name, "/") {
		name, _ = offsetOf(name)
	}
	w.zone = Zone(name)
	return isFirst && w.zone != nil
}
