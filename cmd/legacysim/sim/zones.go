package sim

import (
	"regexp"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping/dates"
)

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

// abbreviation is the short name of an event's zone at a time. That of an offset is
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
