package onward

import (
	"context"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
)

// deliverShared delivers what is due of a segment of the log, if this instance holds the cursor.
func (c *courier) deliverShared(stopping context.Context, s redisstore.Segment) time.Duration {
	switch {
	case !s.Held && c.behind(s.At):
		return watchEvery // the holder may have died
	case !s.Held:
		return lookEvery
	case s.Missed:
		if sleep(stopping, c.settle); stopping.Err() != nil {
			return 0
		}
	case len(s.Items) == 0:
		return lookEvery
	}
	b, n, wait := c.mature(s)
	if n == 0 && !s.Missed {
		return wait
	}
	if b.empty() {
		return c.move(s, n, redisstore.Rejection{}) // notes and decisions
	}
	if wait := c.admit(c.ctx); wait > 0 {
		return wait
	}
	o := c.deliver(stopping, c.ctx, b)
	switch {
	case o.refused:
		return max(c.move(s, n, rejectionOf(letterOf(b, o))), c.after(o))
	case o.done:
		return max(c.move(s, n, redisstore.Rejection{}), c.after(o))
	}
	return c.after(o)
}

// mature returns the purges of a segment that are old enough, and the number of its items that
// they are; or the wait until the first is.
func (c *courier) mature(s redisstore.Segment) (b batch, n int, wait time.Duration) {
	now := c.shared.Now()
	if s.Missed {
		b.add(cache.Purge{All: true}, s.End, now)
		return b, 0, 0
	}
	for _, item := range s.Items {
		if age := now.Sub(item.At.Time()); age < c.settle {
			return b, n, min(c.settle, c.settle-age)
		}
		n++
		if p, ok := purgeOf(item); ok {
			b.add(p, item.At, item.At.Time())
		}
	}
	return b, n, 0
}

// purgeOf returns what an item of the log purges.
func purgeOf(item redisstore.Item) (p cache.Purge, ok bool) {
	switch {
	case item.Mark:
		return cache.Purge{All: true}, true
	case item.Record == nil:
		return cache.Purge{}, false
	}
	return cache.PurgeOf(item.Record)
}

// move moves the cursor. If this fails, the same is sent again.
func (c *courier) move(s redisstore.Segment, n int, rejected redisstore.Rejection) time.Duration {
	held, err := c.shared.MoveCursor(c.ctx, c.target.Name, s, n, rejected)
	if err != nil || !held {
		return watchEvery
	}
	at := s.End
	if !s.Missed {
		at = s.Items[n-1].At
	}
	c.own.passed(at)
	return 0
}

// behind reports whether this instance knows of records after at.
func (c *courier) behind(at redisstore.Position) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.newest > at
}

// reach records the state of the cursor for the report.
func (c *courier) reach(s redisstore.Segment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Holds, c.state.Refused, c.waiting, c.oldest = s.Held, s.Rejected, 0, time.Time{}
	if !s.Held {
		return
	}
	if s.Missed {
		c.waiting, c.oldest = 1, s.End.Time()
	}
	for _, item := range s.Items {
		if _, ok := purgeOf(item); !ok {
			continue
		}
		if c.waiting == 0 {
			c.oldest = item.At.Time()
		}
		c.waiting++
	}
}
