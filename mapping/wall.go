package mapping

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// The legacy and its successor read a date of a write by the clock on a wall, and
// drop a zone that it has: 18:00+05:00 becomes 18:00 of the event (recording
// odd-create-with-zone-in-dates). So an instant is sent as what the wall shows then.
// A date without a zone stays as it was written, and so does one that only a clock
// can tell.

// NeedsSiteZone reports whether a date of c is an instant, and only the site knows
// by which clock it is to be written.
func (b Backend) NeedsSiteZone(c *Call) bool {
	return b.Dialect.DropsZones && slices.ContainsFunc(c.Fields, func(a Written) bool {
		_, isInstant := instantOf(a)
		return isInstant && (a.Param.Wall == OfSite || a.Param.Wall == OfEvent && c.zone() == "")
	})
}

// zone is the time zone that the call names for the event; "" is the site's.
func (c *Call) zone() string {
	for _, a := range c.Fields {
		if a.Param.Name == timezone.Name && a.Text != "0" {
			return a.Text
		}
	}
	return ""
}

// OnWalls returns c with its instants as the backend's clocks show them, site being
// the zone of the site, nil where NeedsSiteZone is false. The error is [Faults]: a
// zone that is not known here, an instant that a clock shows twice, or an end before
// its start.
func (b Backend) OnWalls(c *Call, site *time.Location) (*Call, error) {
	done := *c
	done.Fields = slices.Clone(c.Fields)
	var faults Faults
	for i := range done.Fields {
		a := &done.Fields[i]
		at, isInstant := instantOf(*a)
		if !isInstant || !b.Dialect.DropsZones {
			continue
		}
		if at.IsZero() {
			faults = append(faults, *a.Param.fault(codeDate, "date_zone"))
			continue
		}
		text, fault := a.Param.onWall(at, c.clock(a.Param.Wall, site))
		if fault != nil {
			faults = append(faults, *fault)
			continue
		}
		a.Text, a.JSON, a.At = text, jsonscan.Quote(text), at
	}
	if fault := done.backwards(); fault != nil && b.Dialect.Holes {
		faults = append(faults, *fault)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return &done, nil
}

// clock returns the zone of a wall; nil for one that is not known here.
func (c *Call) clock(w Wall, site *time.Location) *time.Location {
	switch {
	case w == OfUTC:
		return time.UTC
	case w == OfSite || c.zone() == "":
		return site
	}
	return zoneOf(c.zone())
}

// onWall returns what the clocks of a zone show at an instant. Where they show the
// same twice, when they are set back, it depends on the zone which of the two PHP takes:
// in New York the first, in London the second.
func (p *Param) onWall(at time.Time, zone *time.Location) (string, *Fault) {
	if zone == nil {
		return "", p.fault(codeDate, "zone")
	}
	local := at.In(zone)
	if isShownTwice(local) {
		return "", p.fault(codeDate, "shown_twice")
	}
	return local.Format(time.DateTime), nil
}

// isShownTwice reports whether the clocks of its zone show a time at another instant too.
func isShownTwice(local time.Time) bool {
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

// instantOf returns the instant that a date with a zone means; the zero time if the zone
// is not known here, or the day is not named. isInstant is false for another value, and
// for a date without a zone.
func instantOf(a Written) (at time.Time, isInstant bool) {
	if a.Param.Kind != DateTime {
		return time.Time{}, false
	}
	switch d, _ := parseDate(a.Text); d.kind {
	case relativeDate:
		return time.Time{}, namesZone(a.Text)
	case localDate:
		return time.Time{}, false
	}
	if seconds, err := strconv.ParseInt(strings.TrimPrefix(a.Text, "@"), 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC(), true
	}
	if at, err := time.Parse(time.RFC3339Nano, a.Text); err == nil {
		return at, true
	}
	i := strings.LastIndexByte(a.Text, ' ')
	zone := zoneOf(a.Text[i+1:])
	if zone == nil {
		return time.Time{}, true
	}
	at, _ = time.ParseInLocation(time.DateTime, withClock(a.Text[:i]), zone)
	return at, true
}

// namesZone reports whether a date in words has a zone or an offset.
func namesZone(s string) bool {
	return slices.ContainsFunc(strings.Fields(s), isZone) || offsetAfterClock.MatchString(s)
}

var offsetAfterClock = regexp.MustCompile(`\d:\d{2}(?::\d{2})?\s*[+-]\d{1,2}(?::?\d{2})?$`)

// backwards returns the fault of an end before its start, of which the legacy makes
// an end at the start.
func (c *Call) backwards() *Fault {
	for i := range c.Fields {
		end := &c.Fields[i]
		if end.Param.After == "" {
			continue
		}
		start := c.field(end.Param.After)
		if start != nil && isCanonicalDate(start.Text) && isCanonicalDate(end.Text) && c.moment(end.Text) < c.moment(start.Text) {
			return end.Param.fault(codeDate, "backwards", "Other", start.Param.Name)
		}
	}
	return nil
}

// moment is a canonical date in a form that compares: to the day where the event
// takes whole days.
func (c *Call) moment(date string) string {
	if whole := c.field(allDay.Name); whole != nil && whole.Text == "true" {
		return justDay(date)
	}
	return withClock(date)
}

// justDay is the day of a canonical date.
func justDay(date string) string { return date[:min(len(date), len(time.DateOnly))] }

// withClock is a canonical date with the time at which its day begins, if it has none.
func withClock(date string) string {
	if isDay(date) {
		return date + " 00:00:00"
	}
	return date
}

var offsetZone = regexp.MustCompile(`^(?i:utc|gmt)?([+-])(\d{1,2})(?::(\d{2})|\.(\d))?$`)

// zoneOf returns the zone of an event as the legacy reads its name (recordings
// odd-create-timezone-*); nil for one that is not known here. Of UTC+14 and the like
// the legacy makes UTC: an instant cannot be written by such a clock.
func zoneOf(name string) *time.Location {
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
