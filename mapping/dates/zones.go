package dates

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Zone returns the zone that the legacy reads from the name of an event's zone (recordings
// odd-create-timezone-*); nil if it is unknown here. It is nil for UTC+14 and the like, which
// the legacy replaces by UTC.
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
		return nil // an abbreviation, which PHP and Go read differently
	}
	for _, form := range []string{name, capitals(name)} {
		if zone, err := time.LoadLocation(form); err == nil {
			return zone
		}
	}
	return nil
}

var offsetZone = regexp.MustCompile(`^(?i:utc|gmt)?([+-])(\d{1,2})(?::(\d{2})|\.(\d))?$`)

// fixedZone returns the zone of an offset, of which m are the parts.
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

// capitals returns the name of a zone with the capitals of the time zone database, such as
// Europe/Berlin.
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

// IsAmbiguous reports whether a local time occurs twice in its zone, as it does when clocks
// are set back.
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
// name. It does not look the name up.
func isZone(s string) bool {
	s = strings.ToLower(s)
	if m := zoneName.FindStringSubmatch(s); m != nil {
		return slices.Contains(zoneAreas, m[1])
	}
	return slices.Contains(zoneAbbreviations, s)
}
