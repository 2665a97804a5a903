package legacyclients

import (
	"slices"
	"time"
)

// Brownout is a time in which some requests are refused, so that owners of clients notice
// before the end.
type Brownout struct {
	From, To  time.Time     // the time; a zero value is no bound
	DayFrom   time.Duration // of each day in it, since midnight UTC
	DayTo     time.Duration // likewise; equal to DayFrom for the whole day, before it for a night
	Percent   int           // of the requests, 1 to 100
	Resources []string      // none: all requests
}

// Off reports whether a request for a resource ("" for none) is refused now.
func (c *Clients) Off(now time.Time, resource string) bool {
	if refers(c.options.Off, resource) {
		return true
	}
	for i := range c.options.Brownouts {
		b := &c.options.Brownouts[i]
		if b.at(now) && (len(b.Resources) == 0 || refers(b.Resources, resource)) && c.turn(i, uint64(b.Percent)) {
			return true
		}
	}
	return false
}

func refers(resources []string, resource string) bool {
	return slices.Contains(resources, All) || resource != "" && slices.Contains(resources, resource)
}

// turn counts a request of a brownout and reports whether it is one of the share: of 100
// requests in a row these are exactly percent, evenly spread.
func (c *Clients) turn(brownout int, percent uint64) bool {
	n := c.turns[brownout].Add(1)
	return n*percent/100 != (n-1)*percent/100
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
