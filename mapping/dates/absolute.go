package dates

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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
		regexp.MustCompile(`^(?i)(?:(?P<weekday>[a-z]{3,}),? )?(?P<day>\d{1,2})(?:st|nd|rd|th)?[-. ]*(?P<month>[a-z]{3,})` +
			`[-., ]*(?P<year>\d{4})`),
		regexp.MustCompile(`^(?i)(?:(?P<weekday>[a-z]{3,}),? )?(?P<month>[a-z]{3,})[-. ]*(?P<day>\d{1,2})(?:st|nd|rd|th)?` +
			`(?:-|[., ]+)(?P<year>\d{4})`),
		regexp.MustCompile(`^(?i)(?P<year>\d{4})-(?P<month>[a-z]{3,})-(?P<day>\d{1,2})`),
	}
	tailForm = regexp.MustCompile(`^(?i)(?:[, ]*[T, ](?:(\d\d)(\d\d)(\d\d)?|(\d{1,2})(?::(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?` +
		`(?: ?([ap])\.?m(?:\.|\b))?))?(?: ?(?:(z|(?:utc|gmt)?[-+]\d{1,2}(?::?\d\d)?|utc|gmt)(?: \([^()]*\))?|([a-z]+(?:/[a-z_-]+)*)))?$`)
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
			i := form.SubexpIndex(name)
			if i >= 0 {
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
	year := digits(part("year"))
	month := digits(part("month"))
	week := part("week")
	if week != "" {
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

// monthNamed returns the number of a month, -1 for another word.
func monthNamed(name string) int {
	month, err := time.Parse("Jan", name[:3])
	if err != nil || !slices.Contains(dateWords, strings.ToLower(name)) {
		return -1
	}
	return int(month.Month())
}

// weekDay returns a day of a week of ISO 8601, and whether the day exists.
func weekDay(year, week, weekday int) (time.Time, bool) {
	fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC) // is in week 1
	monday := fourth.AddDate(0, 0, -(int(fourth.Weekday())+6)%7)
	day := monday.AddDate(0, 0, 7*(week-1)+weekday-1)
	isoYear, isoWeek := day.ISOWeek()
	exists := isoYear == year && isoWeek == week && weekday > 0 && weekday <= 7
	return day, exists && day.Year() > 0 && day.Year() <= 9999
}

// absolute returns the date of a day with tail, the submatches of tailForm.
func absolute(day time.Time, exists bool, tail []string) (Date, bool) {
	hour := cmp.Or(tail[1], tail[4])
	minute := cmp.Or(tail[2], tail[5])
	second := cmp.Or(tail[3], tail[6])
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
		return Date{Text: strings.Replace(WithTime(text), " ", "T", 1) + offset, Kind: Instant}, true
	case name != "":
		return Date{Text: text + " " + name, Kind: Instant}, true
	}
	return Date{Text: text, Kind: Local}, true
}

// hour24 returns the hour of the day for an hour of its first (a) or second (p) half; -1 for other hours.
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

// timeOf returns a time of a day, and whether the time exists. 24:00 is the midnight that ends the day.
func timeOf(day time.Time, hour, minute, second int) (time.Time, bool) {
	t := time.Date(day.Year(), day.Month(), day.Day(), hour, minute, second, 0, time.UTC)
	last := hour == 24 && minute == 0 && second == 0
	return t, (last || hour >= 0 && hour < 24 && minute < 60 && second < 60) && t.Year() <= 9999
}

// offsetOf returns an offset as +hh:mm; "" for an empty text.
func offsetOf(s string) (string, bool) {
	m := offsetForm.FindStringSubmatch(s)
	if m == nil && s != "" {
		return "+00:00", true // Z, UTC, GMT
	}
	if m == nil {
		return "", true
	}
	hours := digits(m[2])
	minutes := digits(m[3])
	if hours == 0 && minutes == 0 {
		m[1] = "+"
	}
	return fmt.Sprintf("%s%02d:%02d", m[1], hours, minutes), hours <= 14 && minutes < 60
}

var (
	secondsForm = regexp.MustCompile(`^(@?)(-?\d+)$`)
	clockForm   = regexp.MustCompile(`^(\d{1,2}):(\d{2})(?::(\d{2}))?$`)
)

// secondsDate reads seconds since 1970, with strtotime's @ or without.
func secondsDate(s string) (Date, bool) {
	m := secondsForm.FindStringSubmatch(s)
	if m == nil {
		return Date{}, false
	}
	i, err := strconv.ParseInt(m[2], 10, 64)
	year := time.Unix(i, 0).UTC().Year()
	if err != nil || year < 1 || year > 9999 {
		return Date{}, true
	}
	return Date{Text: m[1] + strconv.FormatInt(i, 10), Kind: Instant}, true
}

// clockDate reads a time without a day.
func clockDate(s string) (Date, bool) {
	m := clockForm.FindStringSubmatch(s)
	if m == nil {
		return Date{}, false
	}
	if _, ok := timeOf(time.Time{}, digits(m[1]), digits(m[2]), digits(m[3])); !ok {
		return Date{}, true
	}
	return Date{Text: s, Kind: Relative}, true
}

// IsTimeOfDay reports whether s has the form of a time alone, such as 9:30.
func IsTimeOfDay(s string) bool { return clockForm.MatchString(s) }

// Zone returns the zone that the legacy reads from the name of an event's zone (recordings
// odd-create-timezone-*); nil for a zone that is unknown here, and for UTC+14 and the like, which
// the legacy replaces by UTC.
func Zone(name string) *time.Location {
	name = strings.TrimSpace(name)
	m := offsetZone.FindStringSubmatch(name)
	if m != nil {
		return fixedZone(name, m)
	}
	switch strings.ToLower(name) {
	case "utc", "gmt", "z", "utc0":
		return time.UTC
	}
	if !strings.Contains(name, "/") {
		return nil // an abbreviation, which PHP and Go read differently
	}
	capitals := zoneWord.ReplaceAllStringFunc(strings.ToLower(name), strings.ToUpper) // as in the database: Europe/Berlin
	for _, form := range []string{name, capitals} {
		if zone, err := time.LoadLocation(form); err == nil {
			return zone
		}
	}
	return nil
}

var (
	offsetZone = regexp.MustCompile(`^(?i:utc|gmt)?([+-])(\d{1,2})(?::(\d{2})|\.(\d))?$`)
	zoneWord   = regexp.MustCompile(`(?:^|[/_-])[a-z]`)
)

// fixedZone returns the zone of an offset with the parts m.
func fixedZone(name string, m []string) *time.Location {
	hours, _ := strconv.Atoi(m[2])
	minutes, _ := strconv.Atoi(m[3])
	if m[4] != "" {
		tenths, _ := strconv.Atoi(m[4])
		minutes = 6 * tenths
	}
	named := name[0] != '+' && name[0] != '-'
	if hours > 14 || minutes > 59 || named && hours > 9 {
		return nil
	}
	seconds := hours*3600 + minutes*60
	if m[1] == "-" {
		seconds = -seconds
	}
	return time.FixedZone(name, seconds)
}

// IsAmbiguous reports whether a local time occurs twice in its zone, because clocks
// are set back: also with the offset of the day before or after.
func IsAmbiguous(local time.Time) bool {
	_, now := local.Zone()
	return slices.ContainsFunc([]int{-1, 1}, func(days int) bool {
		_, neighbour := local.AddDate(0, 0, days).Zone()
		twin := local.Add(time.Duration(now-neighbour) * time.Second)
		return neighbour != now && twin.Format(time.DateTime) == local.Format(time.DateTime)
	})
}

// The zones that a date may name. Single letters except Z are missing, since 2027-01-01x,
// a day in the zone X to PHP, is probably a typing error. The area Etc is missing, since PHP
// reads Etc/GMT+2 as Etc/GMT.
var (
	zoneName  = regexp.MustCompile(`^([a-z]+)(?:/[a-z][a-z_-]*)+$`)
	zoneAreas = strings.Fields(`africa america antarctica arctic asia atlantic australia europe indian pacific`)

	zoneAbbreviations = strings.Fields(`
		acdt acst aedt aest akdt akst awst bst cat cdt cest cet cst eat edt eest eet
		est gmt hdt hkt hst idt ist jst kst mdt msk mst ndt nst nzdt nzst pdt pkt pst
		sast sst utc wat west wet wib wit wita z`)
)

// isZone reports whether s is an abbreviation that PHP knows, or has the form of a zone's
// name. The name is not looked up.
func isZone(s string) bool {
	s = strings.ToLower(s)
	m := zoneName.FindStringSubmatch(s)
	if m != nil {
		return slices.Contains(zoneAreas, m[1])
	}
	return slices.Contains(zoneAbbreviations, s)
}
