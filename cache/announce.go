package cache

import (
	"context"
	crand "crypto/rand"
	"github.com/calfacade/calfacade/cache/redisstore"
	"math/rand/v2"
	"time"
)

// Announcement is a write that is about to be sent to the source. Until one of its methods
// reports the outcome, entries that show its tags are in doubt at every instance: they are
// served for a second at most. So an instance that dies in between leaves no old entry that
// counts as fresh. The methods of a nil Announcement do nothing.
type Announcement struct {
	cache *Cache
	id    string // "" if it was not announced
	tags  []string
}

// Announce puts entries that show tags in doubt, before a write is sent. If its outcome is
// not reported within [Options.Doubt], they are purged.
func (c *Cache) Announce(ctx context.Context, tags []string) *Announcement {
	a := c.Unannounced(tags)
	a.id = crand.Text()
	r := record{Purge: Purge{Tags: tags}, doubt: a.id, note: true}
	c.apply(0, r)
	if c.remote.redis != nil {
		ctx, end := c.observe(ctx, CallAppend)
		_, err := c.remote.redis.Append(ctx, r.encode())
		end(err) // without Redis the other instances learn of the outcome alone, later
	}
	return a
}

// Unannounced is for a write that changes only what its response reports as changed.
func (c *Cache) Unannounced(tags []string) *Announcement { return &Announcement{cache: c, tags: tags} }

// Purge reports that the write was done, and purges what it changed.
func (a *Announcement) Purge(ctx context.Context, p Purge) {
	if a == nil {
		return
	}
	a.cache.purge(ctx, record{Purge: p, settles: a.id})
}

// Withdraw reports that the write changed nothing.
func (a *Announcement) Withdraw() {
	if a == nil || a.id == "" {
		return
	}
	c, r := a.cache, record{settles: a.id, note: true}
	c.apply(0, r)
	if c.remote.redis != nil {
		c.background(func() {
			// If this fails, the other instances purge when the doubt expires.
			_, _ = c.remote.redis.Append(c.ctx, r.encode())
		})
	}
}

// Doubt reports that the outcome of the write is unknown. Its tags are purged, and what is
// fetched from now on stays in doubt: the source may still be processing the write.
func (a *Announcement) Doubt(ctx context.Context, from string) {
	if a == nil {
		return
	}
	a.cache.purge(ctx, record{Purge: Purge{Tags: a.tags, From: from}, settles: a.id, doubt: crand.Text()})
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

// watch makes a new doubt expire. All instances do so, and the first one usually ends it for
// the others.
func (c *Cache) watch(r record) {
	if r.doubt != "" && !c.log.doubtful(r.doubt) {
		time.AfterFunc(c.options.Doubt+rand.N(c.options.Doubt/20+1), func() { c.endDoubt(r) })
	}
}

// endDoubt purges what a write whose outcome was not reported may have changed.
func (c *Cache) endDoubt(r record) {
	if c.ctx.Err() != nil || !c.log.doubtful(r.doubt) {
		return
	}
	c.background(func() {
		c.purge(c.ctx, record{Purge: Purge{Tags: r.Tags, All: len(r.Tags) == 0, From: "doubt"}, settles: r.doubt})
	})
}
