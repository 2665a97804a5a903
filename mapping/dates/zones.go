package dates

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Zone returns the zone of an event as the legacy reads its name (recordings
// odd-create-timezone-*); nil for one that is not known here. Of UTC+14 and the like
// the legacy makes UTC: an instant cannot be written by such a clock.
func Zone(name string) *time.Location {
	name = strings.TrimSpace(name)
	if m := offsetZone.FindStringSubmatch(name); m != nil {
		return fixedZone(name, m)
	}
	switch strings.ToLower(name) {
	case "utc", "gmt", "z", "utc0":
		return time.UTC
	}
	if !strings.Contains(name, "/") {
		return nil // an abbreviation, which PHP and Go read in two ways
	}
	for _, spelled := range []string{name, capitals(name)} {
		if zone, err := time.LoadLocation(spelled); err == nil {
			return zone
		}
	}
	return nil
}

var offsetZone = regexp.MustCompile(`^(?i:utc|gmt)?([+-])(\d{1,2})(?::(\d{2})|\.(\d))?$`)

// fixedZone reads the parts of an offset.
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

// capitals spells the name of a zone as the database does: Europe/Berlin.
func capitals(name string) string {
	out := []byte(strings.ToLower(name))
	for i := range out {
		begins := i == 0 || out[i-1] == '/' || out[i-1] == '_' || out[i-1] == '-'
		if begins && out[i] >= 'a' && out[i] <= 'z' {
			out[i] -= 'a' - 'A'
		}
	}
	return string(out)
}

// IsAmbiguous reports whether the clocks of its zone show a time at another instant too.
func IsAmbiguous(local time.Time) bool {
	since, until := local.ZoneBounds()
	_, now := local.Zone()
	if !since.IsZero() {
		_, before := since.Add(-time.Second).Zone()
		if local.Add(time.Duration(now-before) * time.Second).Before(since) {
			return true
		}
	}
	_, after := until.Zone()
	return !until.IsZero() && !local.Add(time.Duration(now-after)*time.Second).Before(until)
}
