package dates

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The parts of an absolute date: a day in one of dayForms, and a time and a zone in tailForm.
var (
	dayForms = []*regexp.Regexp{
		regexp.MustCompile(`^(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})`),
		regexp.MustCompile(`^(?P<day>\d{1,2})[-.](?P<month>\d{1,2})[-.](?P<year>\d{4})`),
		regexp.MustCompile(`^(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})`),
		regexp.MustCompile(`^(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)`),
		regexp.MustCompile(`^(?P<year>\d{4})-?[Ww](?P<week>\d{2})(?:-?(?P<weekday>\d))?`),
		regexp.MustCompile(`^(?P<year>\d{4})-(?P<month>\d{1,2})`),
		regexp.MustCompile(`^(?i)(?:(?P<weekday>[a-z]{3,}),? )?(?P<day>\d{1,2})(?:st|nd|rd|th)?[-. ]*(?P<month>[a-z]{3,})[-., ]*(?P<year>\d{4})`),
		regexp.MustCompile(`^(?i)(?:(?P<weekday>[a-z]{3,}),? )?(?P<month>[a-z]{3,})[-. ]*(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:-|[., ]+)(?P<year>\d{4})`),
		regexp.MustCompile(`^(?i)(?P<year>\d{4})-(?P<month>[a-z]{3,})-(?P<day>\d{1,2})`),
	}
	tailForm = regexp.MustCompile(`^(?i)(?:[, ]*[T, ](?:(\d\d)(\d\d)(\d\d)?|(\d{1,2})(?::(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(?: ?([ap])\.?m(?:\.|\b))?))?` +
		`(?: ?(?:(z|(?:utc|gmt)?[-+]\d{1,2}(?::?\d\d)?|utc|gmt)(?: \([^()]*\))?|([a-z]+(?:/[a-z_-]+)*)))?$`)
	yearLast   = regexp.MustCompile(`^(.+) (\d\d:\d\d:\d\d)( \S+)? (\d{4})$`) // as the command date prints it
	offsetForm = regexp.MustCompile(`([-+])(\d{1,2})(?::?(\d\d))?$`)
)

// maxAbsolute is longer than any absolute date, in bytes.
const maxAbsolute = 120

// absoluteDate reads a day with or without a time and a zone.
func absoluteDate(s string) (Date, bool) {
	if len(s) > maxAbsolute {
		return Date{}, false
	}
	s = yearLast.ReplaceAllString(s, "$1 $4 $2$3")
	for _, form := range dayForms {
		m := form.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		tail := tailForm.FindStringSubmatch(s[len(m[0]):])
		if tail == nil {
			continue
		}
		part := func(name string) string {
			if i := form.SubexpIndex(name); i >= 0 {
				return m[i]
			}
			return ""
		}
		day, exists, ok := dayOf(part)
		if ok {
			return absolute(day, exists, tail)
		}
	}
	return Date{}, false
}

// dayOf returns the day of the parts of one of dayForms. exists is false if the calendar has no such
// day. ok is false for a word that is no month, or a weekday of another day: PHP moves the latter.
func dayOf(part func(string) string) (day time.Time, exists, ok bool) {
	year, month := digits(part("year")), digits(part("month"))
	if week := part("week"); week != "" {
		day, exists = weekDay(year, digits(week), digits(cmp.Or(part("weekday"), "1")))
		return day, exists, true
	}
	if month < 0 {
		month = monthNamed(part("month"))
	}
	number := digits(cmp.Or(part("day"), "1"))
	day = time.Date(year, time.Month(month), number, 0, 0, 0, 0, time.UTC)
	exists = year > 0 && day.Year() == year && int(day.Month()) == month && day.Day() == number
	weekday := strings.ToLower(part("weekday"))
	ok = weekday == "" || slices.Contains(dateWords, weekday) && strings.HasPrefix(weekday, strings.ToLower(day.Weekday().String()[:3]))
	return day, exists, ok && month >= 0
}

// monthNamed returns the number of a month, -1 for a word that is none.
func monthNamed(name string) int {
	name = strings.ToLower(name)
	for month := time.January; month <= time.December; month++ {
		if strings.EqualFold(name[:3], month.String()[:3]) && slices.Contains(dateWords, name) {
			return int(month)
		}
	}
	return -1
}

// weekDay returns a day of a week of ISO 8601, if it exists.
func weekDay(year, week, weekday int) (time.Time, bool) {
	fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC) // is in week 1
	monday := fourth.AddDate(0, 0, -(int(fourth.Weekday())+6)%7)
	day := monday.AddDate(0, 0, 7*(week-1)+weekday-1)
	isoYear, isoWeek := day.ISOWeek()
	exists := isoYear == year && isoWeek == week && weekday > 0 && weekday <= 7
	return day, exists && day.Year() > 0 && day.Year() <= 9999
}

// absolute returns the date of a day with what tailForm found behind it.
func absolute(day time.Time, exists bool, tail []string) (Date, bool) {
	hour, minute, second := cmp.Or(tail[1], tail[4]), cmp.Or(tail[2], tail[5]), cmp.Or(tail[3], tail[6])
	decimals, half, offset, name := tail[7], tail[8], tail[9], tail[10]
	if hour != "" && minute == "" && half == "" || name != "" && !isZone(name) {
		return Date{}, false
	}
	t, onClock := timeOf(day, hour24(digits(hour), half), digits(minute), digits(second))
	offset, ok := offsetOf(offset)
	if !exists || !onClock || !ok {
		return Date{}, true
	}
	text := day.Format(time.DateOnly)
	if hour != "" {
		text = t.Format(time.DateTime) + strings.TrimRight(strings.TrimRight("."+decimals, "0"), ".")
	}
	switch {
	case offset != "":
		return Date{strings.Replace(WithTime(text), " ", "T", 1) + offset, Instant}, true
	case name != "":
		return Date{text + " " + name, Instant}, true
	}
	return Date{text, Local}, true
}

// hour24 returns the hour of the day for an hour of its first (a) or second (p) half; -1 for none.
func hour24(hour int, half string) int {
	switch {
	case half == "":
		return hour
	case hour < 1 || hour > 12:
		return -1
	}
	hour %= 12
	if strings.EqualFold(half, "p") {
		hour += 12
	}
	return hour
}

// timeOf returns a time of a day, if it exists. 24:00 is the midnight that ends the day.
func timeOf(day time.Time, hour, minute, second int) (time.Time, bool) {
	t := time.Date(day.Year(), day.Month(), day.Day(), hour, minute, second, 0, time.UTC)
	last := hour == 24 && minute == 0 && second == 0
	return t, (last || hour >= 0 && hour < 24 && minute < 60 && second < 60) && t.Year() <= 9999
}

// offsetOf returns an offset as +hh:mm; "" for none.
func offsetOf(s string) (string, bool) {
	m := offsetForm.FindStringSubmatch(s)
	if m == nil && s != "" {
		return "+00:00", true // Z, UTC, GMT
	}
	if m == nil {
		return "", true
	}
	hours, minutes := digits(m[2]), digits(m[3])
	if hours == 0 && minutes == 0 {
		m[1] = "+"
	}
	return fmt.Sprintf("%s%02d:%02d", m[1], hours, minutes), hours <= 14 && minutes < 60
}
