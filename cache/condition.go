package cache

import "time"

// condition is what an entry may be used for.
type condition int

const (
	useless condition = iota
	usable            // served if the fetch fails
	stale             // served while it is revalidated
	fresh
)

func (c *Cache) condition(e *Entry, now time.Time) condition {
	if e == nil {
		return useless
	}
	age, life := e.age(now), e.Life
	verdict, until := c.log.judge(e)
	certain := until.IsZero() || verdict == inDoubt && now.Before(until)
	switch {
	case verdict == purged || age >= life.total():
		return useless
	case verdict != softPurged && certain && age < life.Fresh:
		return fresh
	case !certain:
		return usable
	case age < life.Fresh+life.StaleWhileRevalidate:
		return stale
	}
	return usable
}

// left returns how long e is still fresh, and whether a tag of it is in doubt.
func (c *Cache) left(e *Entry, now time.Time) (left time.Duration, doubted bool) {
	left = e.Life.Fresh - e.age(now)
	_, until := c.log.judge(e)
	if doubted = !until.IsZero(); doubted {
		left = min(left, until.Sub(now))
	}
	return left, doubted
}

func (c *Cache) result(e *Entry, how How, now time.Time) Result {
	age := e.age(now)
	r := Result{Entry: e, How: how, Age: age}
	r.TTL, r.Fleeting = c.left(e, now)
	if how == Stale {
		c.stats.stale.Add(1)
		r.TTL = min(r.TTL, 0) // a soft purge makes young entries stale
		r.Fleeting = r.Fleeting || age < e.Life.Fresh
	}
	return r
}
