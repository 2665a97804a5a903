package sim

import (
	"slices"
	"time"
)

// defaultStart is yesterday's last minute by UTC, shown in the site's zone.
func (c *call) defaultStart() time.Time {
	return midnight(c.now.UTC()).Add(-time.Minute).In(c.root.lang.zone)
}

// defaultEnd is two years ahead. The time in UTC counts as the site's.
func (c *call) defaultEnd() time.Time {
	return localTime(c.now.UTC().AddDate(0, 24, 0), c.root.lang.zone)
}

// bound is one date filter that is in force.
type bound struct {
	name string
	at   time.Time
}

// holds compares the event with the bound. start_date and end_date make a
// window that an event has to overlap, not to lie in.
func (b bound) holds(e *eventData) bool {
	switch b.name {
	case "start_date":
		return e.end.After(b.at) || e.start.Equal(b.at)
	case "end_date":
		return e.start.Before(b.at)
	case "starts_before":
		return e.start.Before(b.at)
	case "starts_after":
		return e.start.After(b.at)
	case "ends_before":
		return e.end.Before(b.at)
	default: // ends_after
		return e.end.After(b.at)
	}
}

var (
	windowDates = []string{"start_date", "end_date"}
	otherDates  = []string{"starts_before", "starts_after", "ends_before", "ends_after"}
)

// bounds reads the date filters. The default window stands unless one of the four
// others is present and it is not. With include, the window is the default one, whatever
// its values.
func (c *call) bounds() []bound {
	explicit := slices.ContainsFunc(otherDates, c.params.given)
	var out []bound
	for _, name := range windowDates {
		var at time.Time
		ok := !explicit || c.params.given(name)
		switch {
		case c.params.given("include"):
			at = c.defaultBound(name)
		case c.params.given(name):
			at, ok = c.dateBound(name)
		default:
			at = c.rounded(name, c.defaultBound(name))
		}
		if ok {
			out = append(out, bound{name, at})
		}
	}
	for _, name := range otherDates {
		if at, ok := c.dateBound(name); ok && c.params.given(name) {
			out = append(out, bound{name, at})
		}
	}
	return out
}

func (c *call) defaultBound(name string) time.Time {
	if name == "start_date" {
		return c.defaultStart()
	}
	return c.defaultEnd()
}

// dateBound is a date of a request, read in UTC. It is converted to the time of the site
// if dates are strict, and counts as the time of the site if they are rounded. A text that
// is empty for PHP is now. A number with a sign or an exponent passes the check, and is
// no date.
func (c *call) dateBound(name string) (time.Time, bool) {
	s := c.params.str(name)
	if isEmpty(s) {
		s = "now"
	}
	at, ok := strtotime(s, c.now, time.UTC)
	if c.params.bool("strict_dates") {
		return at.In(c.root.lang.zone), ok
	}
	return c.rounded(name, localTime(at.UTC(), c.root.lang.zone)), ok
}

// rounded is the beginning of a day for start_date, and its end for all others, unless
// dates are strict.
func (c *call) rounded(name string, at time.Time) time.Time {
	switch {
	case c.params.bool("strict_dates"):
		return at
	case name == "start_date":
		return midnight(at)
	}
	return endOfDay(at)
}
