package sim

import "time"

// schedule is when an event takes place, as text, in English in every language. It is empty
// for an event that has a password.
func (c *call) schedule(p *post, long bool) string {
	e := p.event
	if p.password != "" {
		return ""
	}
	span := func(class, text string) string { return `<span class="tribe-event-` + class + `">` + text + `</span>` }
	day, clock := "January 2, 2006", "3:04 pm"
	oneDay := e.start.Format(time.DateOnly) == e.end.Format(time.DateOnly)
	if oneDay && e.start.Year() == c.now.In(e.start.Location()).Year() {
		day = "January 2"
	}
	switch {
	case e.allDay && oneDay && !long:
		return "All day"
	case e.allDay && oneDay:
		return span("date-start", e.start.Format(day))
	case e.allDay:
		return span("date-start", e.start.Format(day)) + " - " + span("date-end", e.end.Format(day))
	case !oneDay:
		return span("date-start", e.start.Format(day+" @ "+clock)) + " - " + span("date-end", e.end.Format(day+" @ "+clock))
	}
	begins := span("date-start", e.start.Format(clock))
	if long {
		begins = span("date-start", e.start.Format(day+" @ "+clock))
	}
	if e.end.Equal(e.start) {
		return begins
	}
	return begins + " - " + span("time", e.end.Format(clock))
}
