package tribe

import (
	"context"
	"slices"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/dates"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// The legacy and its successor read a date of a write as local time, and drop the zone: 18:00+05:00 becomes
// 18:00 of the event (recording odd-create-with-zone-in-dates). So an instant is sent as local time. A date
// without a zone is sent unchanged, also in words, such as tomorrow 18:00.

// inLocalTime returns a write with instants as local times of the site.
func (t *client) inLocalTime(ctx context.Context, c *mapping.Call) (*mapping.Call, error) {
	done, faults, err := localTime(ctx, c, t.env)
	if err != nil {
		return nil, err
	}
	wholeDays(done)
	return checked(done, faults)
}

// LocalTime returns a write with instants as local times of the site. The error is of [mapping.Environment.Zone], or
// [mapping.Faults]: a zone that is not known here, a local time that occurs twice, or an end before the start.
func LocalTime(ctx context.Context, c *mapping.Call, env mapping.Environment) (*mapping.Call, error) {
	done, faults, err := localTime(ctx, c, env)
	if err != nil {
		return nil, err
	}
	return checked(done, faults)
}

// checked returns a write in local time unless it has faults.
func checked(c *mapping.Call, faults mapping.Faults) (*mapping.Call, error) {
	if fault := backwards(c); fault != nil {
		faults = append(faults, *fault)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return c, nil
}

// needsSiteZone reports whether a date of c is an instant with a local time that depends on the site's zone.
func needsSiteZone(c *mapping.Call) bool {
	return slices.ContainsFunc(c.Fields, func(a mapping.Written) bool {
		_, isInstant := a.Instant(time.Time{})
		return isInstant && (a.Param.Zone == mapping.SiteZone || a.Param.Zone == mapping.EventZone && zone(c) == "")
	})
}

// zone is the time zone that the call names for the event; "" is the site's.
func zone(c *mapping.Call) string {
	a := c.Field(mapping.TimezoneParam.Name)
	if a != nil && a.Text != "0" {
		return a.Text
	}
	return ""
}

// localTime converts the instants of a write to local times.
func localTime(ctx context.Context, c *mapping.Call, env mapping.Environment) (*mapping.Call, mapping.Faults, error) {
	var site *time.Location
	if needsSiteZone(c) {
		var err error
		if site, err = env.Zone(ctx); err != nil {
			return nil, nil, err
		}
	}
	done := *c
	done.Fields = slices.Clone(c.Fields)
	var faults mapping.Faults
	for i := range done.Fields {
		a := &done.Fields[i]
		instant, isInstant := a.Instant(env.Now)
		if !isInstant {
			continue
		}
		zone := location(c, a.Param.Zone, site)
		switch {
		case instant.IsZero() && dates.KindOf(a.Text) == dates.Relative:
			faults = append(faults, *a.Param.Fault(mapping.CodeDate, "words_zone")) // such as 10:00 tomorrow UTC
		case instant.IsZero():
			faults = append(faults, *a.Param.Fault(mapping.CodeDate, "date_zone"))
		case zone == nil:
			faults = append(faults, *unknownZone(c, a.Param))
		case dates.IsAmbiguous(instant.In(zone)): // PHP selects in New York the first, in London the second
			faults = append(faults, *a.Param.Fault(mapping.CodeDate, "shown_twice"))
		default:
			text := instant.In(zone).Format(time.DateTime)
			a.Text = text
			a.JSON = jsonscan.Quote(text)
			a.At = instant
		}
	}
	return &done, faults, nil
}

// location returns the time zone that z means for the call; nil for an unknown zone.
func location(c *mapping.Call, z mapping.Zone, site *time.Location) *time.Location {
	switch {
	case z == mapping.UTCZone:
		return time.UTC
	case z == mapping.SiteZone || zone(c) == "":
		return site
	}
	return dates.Zone(zone(c))
}

// unknownZone returns the fault of an instant in an unknown zone, with the field that needs no zone.
func unknownZone(c *mapping.Call, p *mapping.Param) *mapping.Fault {
	switch {
	case p.Zone == mapping.SiteZone && len(p.Moves) > 0:
		return p.Fault(mapping.CodeDate, "site_zone_utc", "Other", p.Moves[0]) // the same date in UTC
	case zone(c) == "":
		return p.Fault(mapping.CodeDate, "site_zone", "Other", mapping.TimezoneParam.Name)
	}
	return p.Fault(mapping.CodeDate, "zone")
}

// wholeDays sends the end of an all-day event in a form from which the legacy makes the end that was shown or
// meant. The length of the days follows from a start and an end of one origin: both named, or both shown by the
// item.
func wholeDays(c *mapping.Call) {
	flag := c.Field(mapping.AllDayParam.Name)
	if flag == nil || flag.Text != "true" {
		return
	}
	for i := range c.Fields {
		end := &c.Fields[i]
		start := c.Field(end.Param.After)
		if start == nil {
			continue
		}
		origin := start.Text
		if end.Preserved {
			origin = jsonscan.Text(jsonscan.Get(c.Found, start.Param.Name))
		}
		end.Text = lastDay(origin, end.Text)
		end.JSON = jsonscan.Quote(end.Text)
	}
}

// lastDay returns the end of an all-day event on its last day. Where days end at 06:00 the legacy shows the end
// of June 3 as 05:59:59 on June 4, and reads that time, sent back, as the end of June 4 (recordings
// settings/cutoff-0600-create-all-day and its like).
func lastDay(start, end string) string {
	first, noStart := time.Parse(time.DateTime, dates.WithTime(start))
	last, noEnd := time.Parse(time.DateTime, dates.WithTime(end))
	const day = 24 * time.Hour
	if noStart != nil || noEnd != nil || last.Add(time.Second).Sub(first)%day != 0 {
		return end
	}
	return last.Add(first.Truncate(day).Sub(first)).Format(time.DateTime)
}

// backwards returns the fault of an end before the start. The legacy sets such an end to the start. tec/v1
// refuses such an end in a create, and ignores both dates in an update (recordings
// tec/events-create-end-before-start and tec/events-update-end-before-start).
func backwards(c *mapping.Call) *mapping.Fault {
	for i := range c.Fields {
		end := &c.Fields[i]
		start := c.Field(end.Param.After)
		if start != nil && dates.IsCanonical(start.Text) && dates.IsCanonical(end.Text) && moment(c, end.Text) < moment(c, start.Text) {
			return end.Param.Fault(mapping.CodeDate, "backwards", "Other", start.Param.Name)
		}
	}
	return nil
}

// moment is a canonical date in a form that compares: to the day where the event
// accepts whole days.
func moment(c *mapping.Call, date string) string {
	flag := c.Field(mapping.AllDayParam.Name)
	if flag != nil && flag.Text == "true" {
		return dates.Day(date)
	}
	return dates.WithTime(date)
}
