package mapping

import (
	"time"

	"github.com/calfacade/calfacade/mapping/dates"
)

// ByClock reports whether the response to c changes with the day, though nothing
// in the calendar does: by a window that the legacy makes from its clock, by a
// date in words, by what is upcoming.
func (c *Call) ByClock() bool {
	for i := range c.Endpoint.Params {
		p := &c.Endpoint.Params[i]
		if p.Generated != NotGenerated && c.Value(p.Name) == "" && !c.lifts(p) {
			return true
		}
	}
	for _, a := range c.Query {
		byClock := a.Param.Clock && !a.IsDefault()
		if byClock || a.Param.Kind == DateTime && dates.IsRelative(a.Text) {
			return true
		}
	}
	return false
}

// NextMidnight returns the first midnight after now in zone, where the responses
// ByClock change. Without a zone it returns the next quarter of an hour: every
// zone's midnight is one.
func NextMidnight(now time.Time, zone *time.Location) time.Time {
	if zone == nil {
		return now.Truncate(15 * time.Minute).Add(15 * time.Minute)
	}
	y, m, d := now.In(zone).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, zone)
}

// isEpoch reports whether a is exactly the first second of 1970, which the
// legacy cannot express.
func (c *Call) isEpoch(a Arg) bool {
	if a.Param.ExactBy == "" || c.Value(a.Param.ExactBy) != "true" || c.lifts(a.Param) {
		return false
	}
	_, isEpoch := dates.AfterEpoch(a.Text)
	return isEpoch
}
