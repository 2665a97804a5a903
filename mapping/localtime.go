package mapping

import (
	"slices"
	"time"

	"github.com/calfacade/calfacade/mapping/dates"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// The legacy and its successor read a date of a write as local time, and drop its
// zone: 18:00+05:00 becomes 18:00 of the event (recording
// odd-create-with-zone-in-dates). So an instant is sent as its local time.
// A date without a zone stays as it was written, also one in words, such as
// tomorrow 18:00.

// NeedsSiteZone reports whether a date of c is an instant whose local time
// depends on the site's zone.
func (b Backend) NeedsSiteZone(c *Call) bool {
	return b.Dialect.WordPress && slices.ContainsFunc(c.Fields, func(a Written) bool {
		_, isInstant := instantOf(a, time.Time{})
		return isInstant && (a.Param.Zone == SiteZone || a.Param.Zone == EventZone && c.zone() == "")
	})
}

// zone is the time zone that the call names for the event; "" is the site's.
func (c *Call) zone() string {
	if a := c.Field(TimezoneParam.Name); a != nil && a.Text != "0" {
		return a.Text
	}
	return ""
}

// InLocalTime returns c with its instants as local times of the backend. site is the zone
// of the site; nil if it is unknown, or not needed. Dates in words are read at now. The error
// is [Faults]: a zone that is not known here, a local time that occurs twice, or an end before
// its start.
func (b Backend) InLocalTime(c *Call, site *time.Location, now time.Time) (*Call, error) {
	done := *c
	done.Fields = slices.Clone(c.Fields)
	var faults Faults
	for i := range done.Fields {
		a := &done.Fields[i]
		at, isInstant := instantOf(*a, now)
		if !isInstant || !b.Dialect.WordPress {
			continue
		}
		zone := c.location(a.Param.Zone, site)
		switch {
		case at.IsZero() && dates.KindOf(a.Text) == dates.Relative:
			faults = append(faults, *a.Param.Fault(CodeDate, "words_zone")) // such as 10:00 tomorrow UTC
		case at.IsZero():
			faults = append(faults, *a.Param.Fault(CodeDate, "date_zone"))
		case zone == nil:
			faults = append(faults, *c.unknownZone(a.Param))
		case dates.IsAmbiguous(at.In(zone)): // PHP selects in New York the first, in London the second
			faults = append(faults, *a.Param.Fault(CodeDate, "shown_twice"))
		default:
			text := at.In(zone).Format(time.DateTime)
			a.Text, a.JSON, a.At = text, jsonscan.Quote(text), at
		}
	}
	if b.Dialect.Holes {
		done.wholeDays()
	}
	if fault := done.backwards(); fault != nil && b.Dialect.WordPress {
		faults = append(faults, *fault)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return &done, nil
}

// location returns the time zone that z means for the call; nil if it is unknown here.
func (c *Call) location(w Zone, site *time.Location) *time.Location {
	switch {
	case w == UTCZone:
		return time.UTC
	case w == SiteZone || c.zone() == "":
		return site
	}
	return dates.Zone(c.zone())
}

// unknownZone returns the fault of an instant whose zone is unknown here, with the field that does without it.
func (c *Call) unknownZone(p *Param) *Fault {
	switch {
	case p.Zone == SiteZone && len(p.Moves) > 0:
		return p.Fault(CodeDate, "site_zone_utc", "Other", p.Moves[0]) // the same date in UTC
	case c.zone() == "":
		return p.Fault(CodeDate, "site_zone", "Other", TimezoneParam.Name)
	}
	return p.Fault(CodeDate, "zone")
}

// wholeDays sends the end of an all-day event in a form from which the legacy makes the end that
// was shown or meant. The length of the days is known from a start and an end of one
// origin: both named, or both shown by the item.
func (c *Call) wholeDays() {
	if whole := c.Field(AllDayParam.Name); whole == nil || whole.Text != "true" {
		return
	}
	for i := range c.Fields {
		end := &c.Fields[i]
		start := c.Field(end.Param.After)
		if start == nil {
			continue
		}
		from := start.Text
		if end.Preserved {
			from = jsonscan.Text(jsonscan.Get(c.Found, start.Param.Name))
		}
		end.Text = lastDay(from, end.Text)
		end.JSON = jsonscan.Quote(end.Text)
	}
}

// lastDay returns the end of an all-day event on its last day. Where days end at 06:00 the legacy
// shows the end of June 3 as 05:59:59 on June 4, and makes the end of June 4 of it when that is
// sent back (recordings settings/cutoff-0600-create-all-day and its like).
func lastDay(start, end string) string {
	from, noStart := time.Parse(time.DateTime, dates.WithTime(start))
	to, noEnd := time.Parse(time.DateTime, dates.WithTime(end))
	const day = 24 * time.Hour
	if noStart != nil || noEnd != nil || to.Add(time.Second).Sub(from)%day != 0 {
		return end
	}
	return to.Add(from.Truncate(day).Sub(from)).Format(time.DateTime)
}

// backwards returns the fault of an end before its start. The legacy makes of it
// an end at the start. tec/v1 refuses it in a create, and ignores both dates in an update
// (recordings tec/events-create-end-before-start and tec/events-update-end-before-start).
func (c *Call) backwards() *Fault {
	for i := range c.Fields {
		end := &c.Fields[i]
		start := c.Field(end.Param.After)
		if start != nil && dates.IsCanonical(start.Text) && dates.IsCanonical(end.Text) && c.moment(end.Text) < c.moment(start.Text) {
			return end.Param.Fault(CodeDate, "backwards", "Other", start.Param.Name)
		}
	}
	return nil
}

// moment is a canonical date in a form that compares: to the day where the event
// accepts whole days.
func (c *Call) moment(date string) string {
	if whole := c.Field(AllDayParam.Name); whole != nil && whole.Text == "true" {
		return dates.Day(date)
	}
	return dates.WithTime(date)
}

// instantOf returns the instant that a field means at now, as [dates.At] returns it; isInstant is false
// for a field that is no date.
func instantOf(a Written, now time.Time) (at time.Time, isInstant bool) {
	if a.Param.Kind != DateTime {
		return time.Time{}, false
	}
	return dates.At(a.Text, now)
}
