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
	return c.purge(ctx, record{Purge: p})
}

func (c *Cache) purge(ctx context.Context, r record) (shared bool) {
	r.space = c.options.TagSpace
	c.stats.purges.Add(1)
	if c.remote.redis == nil {
		c.note(c.next(r), r, true, c.options.Clock())
		return true
	}
	return c.remote.purge(ctx, r)
}

// apply applies a record at its position in the log, or at 0 one that is no purge and has
// no position yet.
func (c *Cache) apply(at redisstore.Position, r record) {
	r.began = c.options.Clock()
	c.watch(r)
	c.log.apply(at, r)
}

// next applies a purge after all that is known.
func (c *Cache) next(r record) redisstore.Position {
	r.began = c.options.Clock()
	c.watch(r)
	return c.log.next(r)
}

// watch makes a new doubt expire. Each instance purges for itself then what the write may have
// changed: it has stored nothing meanwhile for longer than a second, and nothing in Redis.
func (c *Cache) watch(r record) {
	if r.doubt == "" || c.log.doubtful(r.doubt) {
		return
	}
	time.AfterFunc(c.options.Doubt, func() {
		if c.log.doubtful(r.doubt) {
			p := record{Purge: Purge{Tags: r.Tags, All: len(r.Tags) == 0, From: "doubt"}, settles: r.doubt}
			c.note(0, p, true, c.options.Clock())
			c.next(p)
		}
	})
}
