package legacyclients

import (
	"slices"
	"time"
)

// All, in a list of resources, stands for every request, including those for no resource.
const All = "all"

// Brownout is a time during which some requests are refused, so that the owners of clients
// notice before the namespace is switched off.
type Brownout struct {
	From, To  time.Time     // zero: no bound
	DayFrom   time.Duration // beginning on each day, since midnight UTC
	DayTo     time.Duration // end, likewise; equal to DayFrom: the whole day; before it: overnight
	Percent   int           // of requests that are refused, 1 to 100
	Resources []string      // nil: all requests
}

func refers(resources []string, resource string) bool {
	return slices.Contains(resources, All) || resource != "" && slices.Contains(resources, resource)
}

// at reports whether now is during the brownout.
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
