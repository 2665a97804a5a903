package legacyclients

import (
	"slices"
	"time"
)

// All stands for every request in a list of resources, those of no resource too.
const All = "all"

// Brownout is a time in which some requests are refused, so that owners of clients notice
// before the end.
type Brownout struct {
	From, To  time.Time     // the time; a zero value is no bound
	DayFrom   time.Duration // of each day in it, since midnight UTC
	DayTo     time.Duration // likewise; equal to DayFrom for the whole day, before it for a night
	Percent   int           // of the requests, 1 to 100
	Resources []string      // none: all requests
}

func refers(resources []string, resource string) bool {
	return slices.Contains(resources, All) || resource != "" && slices.Contains(resources, resource)
}

// at reports whether the brownout is on.
func (b *Brownout) at(now time.Time) bool {
	if !b.From.IsZero() && now.Before(b.From) || !b.To.IsZero() && !now.Before(b.To) {
		return false
	}
	now = now.UTC()
	day := now.Sub(now.Truncate(24 * time.Hour))
	switch {
	case b.DayFrom == b.DayTo:
		return true
	case b.DayFrom < b.DayTo:
		return b.DayFrom <= day && day < b.DayTo
	}
	return b.DayFrom <= day || day < b.DayTo
}
