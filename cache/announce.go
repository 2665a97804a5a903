package cache

import (
	"context"
	crand "crypto/rand"
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
	r := record{Purge: Purge{Tags: tags}, doubt: a.id, note: true, space: c.options.TagSpace}
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

// Purge reports that the write was done, and purges what it changed; see [Cache.Purge].
func (a *Announcement) Purge(ctx context.Context, p Purge) (shared bool) {
	return a == nil || a.cache.purge(ctx, record{Purge: p, settles: a.id})
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
