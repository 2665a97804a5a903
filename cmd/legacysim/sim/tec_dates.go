package sim

import (
	"cmp"
	"time"
)

// tecPublished is when the request has the post published, or nil. The date in UTC comes first,
// and a null is now.
func (c *call) tecPublished() *time.Time {
	if date, ok := parseDate(c.params.str("date_gmt"), c.now, time.UTC); ok {
		return &date
	}
	if date, ok := c.tecAt("date", c.root.lang.zone); ok {
		return &date
	}
	return nil
}

// tecZone is the zone of a request. One that nobody knows is UTC.
func (c *call) tecZone(current *time.Location) *time.Location {
	name := c.params.str("timezone")
	if name == "" {
		return current
	}
	if loc, ok := eventZone(name); ok {
		return loc
	}
	return time.UTC
}

// tecAt is a date of a request. A null is now.
func (c *call) tecAt(name string, loc *time.Location) (time.Time, bool) {
	if c.params.has(name) && !c.params.isGiven(name) {
		return localTime(c.now.In(loc), loc), true
	}
	return parseDate(c.params.str(name), c.now, loc)
}

// tecNewDates dates a new event, and reports whether that can be. A duration stands for an
// end.
func (c *call) tecNewDates(e *eventData) bool {
	loc := c.tecZone(c.root.lang.zone)
	start, hasStart := c.tecAt("start_date", loc)
	end, hasEnd := c.tecAt("end_date", loc)
	if !hasEnd && c.params.isGiven("duration") {
		end = start.Add(c.tecLength())
		hasEnd = true
	}
	if !hasStart || !hasEnd || end.Before(start) {
		return false
	}
	e.start, e.end = start, end
	e.length = new(end.Sub(start))
	c.tecWholeDays(e)
	return true
}

func (c *call) tecLength() time.Duration {
	n, _ := positive(c.params["duration"])
	return time.Duration(n) * time.Second
}

// tecMove changes the dates of an event. A start alone does nothing, and a zone keeps the time on the clock.
// The written duration, in seconds, changes with both dates, or by itself.
func (c *call) tecMove(e *eventData) {
	length := time.Duration(e.seconds()) * time.Second
	loc := c.tecZone(e.start.Location())
	e.start = localTime(e.start, loc)
	e.end = localTime(e.end, loc)
	start, hasStart := c.tecAt("start_date", loc)
	end, hasEnd := c.tecAt("end_date", loc)
	if !hasStart || c.params.isGiven("start_date") && !hasEnd {
		start = e.start
	}
	if !hasEnd {
		end = e.end
	}
	if !end.Before(start) {
		e.start, e.end = start, end
		if hasStart && hasEnd {
			length = end.Sub(start)
		}
	}
	e.length = new(cmp.Or(c.tecLength(), length))
	c.tecWholeDays(e)
}

// tecWholeDays makes the event one of whole days, if the request says so; nothing undoes
// that.
func (c *call) tecWholeDays(e *eventData) {
	if phpTrue(c.params["all_day"]) {
		e.allDay = true
		e.start = midnight(e.start)
		e.end = endOfDay(e.end)
	}
	e.reckon()
}

// seconds is how long the event takes.
func (e *eventData) seconds() int {
	if e.length != nil {
		return int(e.length.Seconds())
	}
	return int(e.end.Sub(e.start).Seconds())
}
