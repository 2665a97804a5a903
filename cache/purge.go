package cache

import (
	"context"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Purge purges the entries that show any of the tags: for every request at any instance that
// begins after it returns. shared is false if Redis did not take the purge within a second: then the
// other instances do not know it until Redis works again. A cache with another [Options.TagSpace]
// purges everything.
func (c *Cache) Purge(ctx context.Context, p Purge) (shared bool) {
	return c.purge(ctx, c.record(p))
}

func (c *Cache) purge(ctx context.Context, r record) (shared bool) {
	c.stats.purges.Add(1)
	at := redisstore.Position(0)
	if c.redis != nil {
		var err error
		if at, err = c.append(ctx, r); err != nil {
			c.pending.add(r) // first: from here on nothing of Redis is served, which may be later than r
		}
	}
	c.apply(at, r, true)
	return c.redis == nil || at != 0
}

// append appends a record to the log in Redis. Once it returns without an error, every request that
// arrives later at any instance knows the record.
func (c *Cache) append(ctx context.Context, r record) (redisstore.Position, error) {
	ctx, end := c.observe(ctx, CallAppend)
	at, err := c.redis.Append(ctx, r.encode())
	end(err)
	return at, err
}

// apply applies a record: at its position in the shared log, possibly again, or at 0 after all that is
// known. here says that this process has made it.
func (c *Cache) apply(at redisstore.Position, r record, here bool) {
	now := c.options.Clock()
	c.watch(r)
	c.log.apply(at, r, now)
	if r.Note {
		return
	}
	if at != 0 {
		now = at.Time()
	}
	p := Purged{Purge: r.Purge, Count: len(r.Tags), At: at, Local: here, Time: now}
	c.recent.add(r.ID, p)
	if c.options.Purged != nil {
		c.options.Purged(p)
	}
}

// watch makes a new doubt expire. Each instance purges for itself then what the write may have
// changed: it has stored nothing meanwhile for longer than a second, and nothing in Redis.
func (c *Cache) watch(r record) {
	if known, _ := c.log.doubtful(r.ID); known || !r.Begins {
		return
	}
	time.AfterFunc(c.options.Doubt, func() {
		if open, _ := c.log.doubtful(r.ID); open {
			p := c.record(Purge{Tags: r.Tags, All: len(r.Tags) == 0, From: "doubt"})
			p.Ends = r.ID
			c.apply(0, p, true)
		}
	})
}
