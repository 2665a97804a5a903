package cache

import "context"

// Announcement is a write that is about to be sent to the source. Until one of its methods
// reports the outcome, entries that show its tags are in doubt at every instance: they are
// served for a second at most. So an instance that dies in between leaves no old entry that
// counts as fresh. The methods of a nil Announcement do nothing.
type Announcement struct {
	cache *Cache
	id    string // of the record that begins the doubt; "" if it was not announced
	tags  []string
}

// Announce puts entries that show tags in doubt, before a write is sent. If its outcome is
// not reported within [Options.Doubt], they are purged.
func (c *Cache) Announce(ctx context.Context, tags []string) *Announcement {
	r := c.record(Purge{Tags: tags})
	r.Note, r.Begins = true, true
	c.apply(0, r, true)
	if c.redis != nil {
		_, _ = c.append(ctx, r) // without Redis the other instances learn of the outcome alone, later
	}
	return &Announcement{c, r.ID, tags}
}

// Unannounced is for a write that changes only what its response reports as changed.
func (c *Cache) Unannounced(tags []string) *Announcement { return &Announcement{cache: c, tags: tags} }

// Purge reports that the write was done, and purges what it changed; see [Cache.Purge].
func (a *Announcement) Purge(ctx context.Context, p Purge) (shared bool) {
	if a == nil {
		return true
	}
	r := a.cache.record(p)
	r.Ends = a.id
	return a.cache.purge(ctx, r)
}

// Withdraw reports that the write changed nothing.
func (a *Announcement) Withdraw() {
	if a == nil || a.id == "" {
		return
	}
	c, r := a.cache, a.cache.record(Purge{})
	r.Note, r.Ends = true, a.id
	c.apply(0, r, true)
	if c.redis != nil {
		// If this fails, the other instances purge when the doubt expires.
		c.background(func() { _, _ = c.append(c.ctx, r) })
	}
}

// Doubt reports that the outcome of the write is unknown. Its tags are purged, and what is
// fetched from now on stays in doubt: the source may still be processing the write.
func (a *Announcement) Doubt(ctx context.Context, from string) {
	if a == nil {
		return
	}
	r := a.cache.record(Purge{Tags: a.tags, From: from})
	r.Ends, r.Begins = a.id, true
	a.cache.purge(ctx, r)
}
