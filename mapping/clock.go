package mapping

import (
	"time"

	"github.com/calfacade/calfacade/mapping/dates"
)

// ByClock reports whether the response to c changes with the day, without a change in the calendar: by a window
// that the legacy makes from the clock, by a date in words, by a filter for upcoming events.
func (c *Call) ByClock() bool {
	for _, p := range c.Endpoint.Params {
		if p.Generated != NotGenerated && c.Value(p.Name) == "" && !c.Lifts(p) {
			return true
		}
	}
	for _, a := range c.Query {
		byClock := a.Param.Clock && !a.IsDefault()
		if byClock || a.Param.Kind == DateTime && dates.KindOf(a.Text) == dates.Relative {
			return true
		}
	}
	return false
}

// NextMidnight returns the first midnight after now in zone, where the responses ByClock change. Without a zone
// the result is the next quarter of an hour: every zone's midnight is such a time.
func NextMidnight(now time.Time, zone *time.Location) time.Time {
	if zone == nil {
		return now.Truncate(15 * time.Minute).Add(15 * time.Minute)
	}
	y, m, d := now.In(zone).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, zone)
}

// At returns the default as of now, in now's zone.
func (g Generated) At(now time.Time) string {
	y, m, d := now.Date()
	day := time.Date(y, m, d, 0, 0, 0, 0, now.Location())
	switch g {
	case LastMidnight:
		return day.Add(-time.Minute).Format(time.DateTime)
	case TwoYearsOn:
		return day.AddDate(2, 0, 1).Add(-time.Second).Format(time.DateTime)
	}
	panic("BUG: not a generated default")
}
