package sim

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

const dateTime = "2006-01-02 15:04:05"

// dateLayouts are the absolute forms that clients send.
var dateLayouts = []string{
	dateTime, "2006-01-02 15:04", "2006-01-02",
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05-0700", "2006-01-02 15:04:05 -0700",
	"2006/01/02", "2006/01/02 15:04:05", "01/02/2006", "01/02/2006 15:04", "02-01-2006", "02.01.2006", "20060102", "20060102T150405",
	"2 January 2006", "January 2, 2006", "January 2 2006", "Jan 2, 2006", "2 Jan 2006",
	"2 January 2006 15:04", "January 2, 2006 15:04", "January 2, 2006 3:04 PM",
}

var (
	epoch    = regexp.MustCompile(`^@?-?\d{5,}$`)
	offset   = regexp.MustCompile(`^([+-]?\d+|a|an|next|last)\s+(sec|second|min|minute|hour|day|week|fortnight|month|year)s?(\s+ago)?$`)
	weekday  = regexp.MustCompile(`^(next|last|this)?\s*(sun|mon|tues|wednes|thurs|fri|satur)day$`)
	clock    = regexp.MustCompile(`^(.*?)\s*(\d{1,2}):(\d{2})(?::(\d{2}))?$`)
	weekdays = map[string]time.Weekday{"sun": 0, "mon": 1, "tues": 2, "wednes": 3, "thurs": 4, "fri": 5, "satur": 6}
)

// parseDate reads what PHP's strtotime commonly reads, and epoch seconds.
// Without a zone of its own the date is in loc.
func parseDate(s string, now time.Time, loc *time.Location) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return time.Time{}, false
	}
	if t, ok := absolute(s, loc); ok {
		return t, true
	}
	if epoch.MatchString(s) {
		n, err := strconv.ParseInt(strings.TrimPrefix(s, "@"), 10, 64)
		return time.Unix(n, 0).In(loc), err == nil
	}
	return relative(strings.ToLower(s), now.In(loc))
}

func absolute(s string, loc *time.Location) (time.Time, bool) {
	for _, layout := range dateLayouts {
		if t, err := time.ParseInLocation(layout, s, loc); err == nil {
			return t.In(loc), true
		}
	}
	return time.Time{}, false
}

// relative reads words, perhaps with a time of day behind them.
func relative(s string, now time.Time) (time.Time, bool) {
	if m := clock.FindStringSubmatch(s); m != nil && m[1] != "" {
		day, ok := absolute(m[1], now.Location())
		if !ok {
			day, ok = relative(m[1], now)
		}
		hour, minute, second := atoi(m[2]), atoi(m[3]), atoi(m[4])
		return midnight(day).Add(time.Duration(hour*3600+minute*60+second) * time.Second), ok && hour < 24 && minute < 60
	}
	switch s {
	case "now":
		return now, true
	case "today", "midnight":
		return midnight(now), true
	case "noon":
		return midnight(now).Add(12 * time.Hour), true
	case "tomorrow":
		return midnight(now.AddDate(0, 0, 1)), true
	case "yesterday":
		return midnight(now.AddDate(0, 0, -1)), true
	}
	if m := weekday.FindStringSubmatch(s); m != nil {
		return nearWeekday(now, m[1], weekdays[m[2]]), true
	}
	if m := offset.FindStringSubmatch(s); m != nil {
		return shift(now, m[1], m[2], m[3] != "")
	}
	return time.Time{}, false
}

// nearWeekday counts today as "this" but not as "next" or "last".
func nearWeekday(now time.Time, which string, day time.Weekday) time.Time {
	ahead := (int(day) - int(now.Weekday()) + 7) % 7
	switch {
	case which == "next" && ahead == 0:
		ahead = 7
	case which == "last":
		ahead -= 7
	}
	return midnight(now.AddDate(0, 0, ahead))
}

func shift(now time.Time, count, unit string, ago bool) (time.Time, bool) {
	n, err := strconv.Atoi(count)
	if err != nil {
		n = map[string]int{"a": 1, "an": 1, "next": 1, "last": -1}[count]
	}
	if ago {
		n = -n
	}
	switch unit {
	case "sec", "second":
		return now.Add(time.Duration(n) * time.Second), true
	case "min", "minute":
		return now.Add(time.Duration(n) * time.Minute), true
	case "hour":
		return now.Add(time.Duration(n) * time.Hour), true
	case "day":
		return now.AddDate(0, 0, n), true
	case "week":
		return now.AddDate(0, 0, 7*n), true
	case "fortnight":
		return now.AddDate(0, 0, 14*n), true
	case "month":
		return now.AddDate(0, n, 0), true
	}
	return now.AddDate(n, 0, 0), true
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

func endOfDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 23, 59, 59, 0, t.Location())
}

// wall reads the clock of t as if it hung in loc.
func wall(t time.Time, loc *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, loc)
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// offsetZones are the zones that WordPress makes of its UTC+n settings.
var offsetZones = map[string]string{
	"UTC": "UTC", "UTC+0": "UTC", "UTC+1": "Europe/Berlin", "UTC+2": "Europe/Helsinki", "UTC+3": "Europe/Moscow",
	"UTC+5:30": "Asia/Kolkata", "UTC+5.5": "Asia/Kolkata", "UTC+8": "Asia/Shanghai", "UTC+9": "Asia/Tokyo",
	"UTC-3": "America/Sao_Paulo", "UTC-5": "America/New_York", "UTC-8": "America/Los_Angeles",
}

// eventZone loads an event's time zone by its name or UTC offset.
func eventZone(name string) (*time.Location, bool) {
	if z, ok := offsetZones[name]; ok {
		name = z
	}
	if name == "" || name == "Local" {
		return nil, false
	}
	loc, err := time.LoadLocation(name)
	return loc, err == nil
}
