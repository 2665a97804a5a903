package cache

import (
	"context"
	crand "crypto/rand"
	"github.com/calfacade/calfacade/cache/redisstore"
	"math/rand/v2"
	"time"
)

// Announcement is a write that is about to be sent to the source. Until one of its
// methods says what became of it, at every instance, what shows its tags is in doubt:
// it is given for a second at most. So an instance that dies in between leaves nothing
// that is old and taken for fresh. Nil is of no cache, and its methods do nothing.
type Announcement struct {
	cache *Cache
	id    string // "" if it was not announced
	tags  []string
}

// Announce puts what shows tags in doubt, before a write is sent. One whose outcome
// nobody tells is taken for one that changed them, once [Options.Doubt] is over.
func (c *Cache) Announce(ctx context.Context, tags []string) *Announcement {
	a := c.Unannounced(tags)
	a.id = crand.Text()
	r := record{Purge: Purge{Tags: tags}, doubt: a.id, note: true}
	c.apply(0, r)
	if c.remote.redis != nil {
		ctx, end := c.observe(ctx, CallAppend)
		_, err := c.remote.redis.Append(ctx, r.encode())
		end(err) // without Redis the others cannot be told, and hear of the outcome later
	}
	return a
}

// Unannounced is for a write that only changes what it says it has changed.
func (c *Cache) Unannounced(tags []string) *Announcement { return &Announcement{cache: c, tags: tags} }

// Purge says that the write was done, and ends what it changed.
func (a *Announcement) Purge(ctx context.Context, p Purge) {
	if a == nil {
		return
	}
	a.cache.purge(ctx, record{Purge: p, settles: a.id})
}

// Withdraw says that the write changed nothing.
func (a *Announcement) Withdraw() {
	if a == nil || a.id == "" {
		return
	}
	c, r := a.cache, record{settles: a.id, note: true}
	c.apply(0, r)
	if c.remote.redis != nil {
		c.background(func() {
			// Not told, the others take it for done when the doubt is over.
			_, _ = c.remote.redis.Append(c.ctx, r.encode())
		})
	}
}

// Doubt says that nobody knows what became of the write. What there is ends, and what is
// fetched from now on stays in doubt: the source may still be at it.
func (a *Announcement) Doubt(ctx context.Context, from string) {
	if a == nil {
		return
	}
	a.cache.purge(ctx, record{Purge: Purge{Tags: a.tags, From: from}, settles: a.id, doubt: crand.Text()})
}

// apply applies a record at its place in the log, or at 0 what is no purge and has no place
// yet.
func (c *Cache) apply(at redisstore.Position, r record) {
	r.began = c.options.Clock()
	c.watch(r)
	c.log.apply(at, r)
}

// next applies a purge behind all that is known.
func (c *Cache) next(r record) redisstore.Position {
	r.began = c.options.Clock()
	c.watch(r)
	return c.log.next(r)
}

// watch has a doubt that is new end once its time is over. All instances do so, the first
// of which ends it for the others as a rule.
func (c *Cache) watch(r record) {
	if r.doubt != "" && !c.log.doubtful(r.doubt) {
		time.AfterFunc(c.options.Doubt+rand.N(c.options.Doubt/20+1), func() { c.endDoubt(r) })
	}
}

// endDoubt purges what a write may have changed whose outcome nobody told.
func (c *Cache) endDoubt(r record) {
	if c.ctx.Err() != nil || !c.log.doubtful(r.doubt) {
		return
	}
	c.background(func() {
		c.purge(c.ctx, record{Purge: Purge{Tags: r.Tags, All: len(r.Tags) == 0, From: "doubt"}, settles: r.doubt})
	})
}
