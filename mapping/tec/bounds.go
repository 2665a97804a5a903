package tec

import (
	"net/url"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/dates"
)

// The successor compares dates to the second and has no default window. Its start_date and
// end_date mean something else: they exclude an event that began before the window. What the
// table calls start_date and end_date are its ends_after and starts_before.

// dateBounds are the four bounds of a list of events as they are sent.
type dateBounds struct {
	names, values []string
	ok            bool // false: two values for the same bound, which only a clock can compare
}

func (b dateBounds) query() []string {
	var query []string
	for i, name := range b.names {
		query = append(query, name+"="+url.QueryEscape(b.values[i]))
	}
	return query
}

// defaultWindow are the defaults of the table. They apply unless a client sends one of the
// successor's four bounds.
var defaultWindow = map[string]string{"start_date": "yesterday 23:59", "end_date": "+24 months"}

// boundsOf returns the bounds of a list: whole days, unless they are strict.
func boundsOf(c *mapping.Call) dateBounds {
	strict := c.Value("strict_dates") == "true"
	explicit := false
	for _, a := range c.Query {
		explicit = explicit || a.Param.Kind == mapping.DateTime && defaultWindow[a.Param.Name] == ""
	}
	bounds := dateBounds{ok: true}
	for i := range c.Endpoint.Params {
		p := &c.Endpoint.Params[i]
		if p.Kind != mapping.DateTime {
			continue
		}
		value := c.Value(p.Name)
		if value == "" && !explicit {
			value = defaultWindow[p.Name]
		}
		if value == "" {
			continue
		}
		if !strict {
			value = wholeDay(value, p.Name == "start_date")
		}
		if later, isEpoch := dates.AfterEpoch(value); isEpoch { // the successor refuses it too
			value = later
		}
		bounds.add(paramNames[c.Endpoint.Resource][p.Name], value)
	}
	return bounds
}

// add adds a bound. If two are the same bound of the successor, the narrower one applies.
func (b *dateBounds) add(name, value string) {
	for i := range b.names {
		if b.names[i] != name {
			continue
		}
		have := b.values[i]
		b.ok = b.ok && dates.IsCanonical(have) && dates.IsCanonical(value)
		if later := value > have; later == strings.HasSuffix(name, "_after") {
			b.values[i] = value
		}
		return
	}
	b.names, b.values = append(b.names, name), append(b.values, value)
}

// wholeDay returns the beginning or the end of the day that a date is in. It does not change an
// instant, whose day depends on the zone.
func wholeDay(s string, begin bool) string {
	clock := " 23:59:59"
	if begin {
		clock = " 00:00:00"
	}
	switch day, time, timed := strings.Cut(s, " "); {
	case dates.IsDay(day) && (!timed || dates.IsTime(time)):
		return day + clock
	case day == "yesterday" && time == "23:59":
		return day + clock
	case dates.IsTimeOfDay(s):
		return "today" + clock
	case strings.Contains(s, ":") || dates.IsInstant(s):
		return s
	}
	return s + clock
}
