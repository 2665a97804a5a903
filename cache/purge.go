package cache

import (
	"context"
	crand "crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Purge purges the entries that show any of the tags: for every request at any instance that
// begins after it returns. shared is false if Redis did not take the purge within a second: then the
// other instances do not know it until Redis works again. A cache with another [Options.TagSpace]
// purges everything.
func (c *Cache) Purge(ctx context.Context, p Purge) (shared bool) {
	return c.publish(ctx, c.record(p))
}

// record returns the record of a purge by this cache.
func (c *Cache) record(p Purge) record {
	return record{Purge: p, Version: recordVersion, Space: c.options.TagSpace, ID: crand.Text()}
}

func (c *Cache) publish(ctx context.Context, r record) (shared bool) {
	c.stats.purges.Add(1)
	position := redisstore.Position(0)
	if c.options.Shared != nil {
		var err error
		if position, err = c.options.Shared.Append(ctx, r.encode()); err != nil {
			c.options.Pending.add(r) // first: from here on nothing of Redis is served, which may be later than r
		}
	}
	c.apply(position, r, true)
	return c.options.Shared == nil || position != 0
}

// apply applies a record: at its position in the shared log, possibly again, or at 0 after all that is
// known. local reports that this process has made it.
func (c *Cache) apply(position redisstore.Position, r record, local bool) {
	now := c.options.Clock()
	c.watch(r)
	c.log.apply(position, r, now.Add(-c.ageOf(position)))
	if r.Note {
		return
	}
	if position != 0 {
		now = position.Time()
	}
	if c.options.Purged != nil {
		id := r.ID
		if id == "" { // of a record that cannot be decoded
			id = fmt.Sprint(position)
		}
		c.options.Purged(Purged{
			Purge: r.Purge,
			ID:    id,
			At:    position,
			Local: local,
			Time:  now,
		})
	}
}

// ageOf returns the age of a record, by the clock of Redis. This process may read a record long after it was
// made, if it had no requests.
func (c *Cache) ageOf(position redisstore.Position) time.Duration {
	if position == 0 || c.options.Shared == nil {
		return 0
	}
	return max(0, c.options.Shared.Now().Sub(position.Time()))
}

// LastPurge returns when any of the tags was purged last, by the clock of this process; the zero time: never, as
// far as this process knows.
func (c *Cache) LastPurge(tags []string) time.Time {
	c.log.mu.RLock()
	defer c.log.mu.RUnlock()
	return c.log.times.last(tags)
}

// watch makes a new pending write expire. Each instance purges for itself then what the write may have
// changed: it has stored nothing meanwhile for longer than a second, and nothing in Redis.
func (c *Cache) watch(r record) {
	if !r.Begins || c.log.pending(r.ID) {
		return
	}
	time.AfterFunc(c.options.WriteExpiry, func() {
		if c.log.pending(r.ID) {
			p := c.record(Purge{Tags: r.Tags, All: len(r.Tags) == 0, From: "expired write"})
			p.Ends = r.ID
			c.apply(0, p, true)
		}
	})
}

// Announcement is a write that is about to be sent to the source. Until one of its methods
// reports the outcome, the write is pending at every instance: entries that show its tags are
// served for a second at most. So an instance that dies in between leaves no old entry that
// counts as fresh. The methods of a nil Announcement do nothing.
type Announcement struct {
	cache *Cache
	id    string // of the record that announces the write; "" without a record
	tags  []string
}

// Announce announces a write to tags before it is sent. If its outcome is not reported within
// [Options.WriteExpiry], the tags are purged.
func (c *Cache) Announce(ctx context.Context, tags []string) *Announcement {
	r := c.record(Purge{Tags: tags})
	r.Note, r.Begins = true, true
	c.apply(0, r, true)
	if c.options.Shared != nil {
		_, _ = c.options.Shared.Append(ctx, r.encode()) // without Redis the other instances learn of the outcome alone, later
	}
	return &Announcement{cache: c, id: r.ID, tags: tags}
}

// Unannounced is for a write that the source will refuse as a rule. It is not pending: anybody
// could send such writes without end. What it changes is known to the other instances once it was done.
func (c *Cache) Unannounced(tags []string) *Announcement { return &Announcement{cache: c, tags: tags} }

// Purge reports that the write was done, and purges what it changed; see [Cache.Purge].
func (a *Announcement) Purge(ctx context.Context, p Purge) (shared bool) {
	if a == nil {
		return true
	}
	r := a.cache.record(p)
	r.Ends = a.id
	return a.cache.publish(ctx, r)
}

// Withdraw reports that the write changed nothing.
func (a *Announcement) Withdraw() {
	if a == nil || a.id == "" {
		return
	}
	c := a.cache
	r := a.cache.record(Purge{})
	r.Note = true
	r.Ends = a.id
	c.apply(0, r, true)
	if c.options.Shared != nil {
		// If this fails, the other instances purge when the write expires.
		c.background(func() { _, _ = c.options.Shared.Append(c.ctx, r.encode()) })
	}
}

// KeepPending reports that the outcome of the write is unknown. Its tags are purged, and the write stays
// pending: the source may still be processing it. It replaces an earlier write of the same client, or
// nil, if that is pending. A write that was not announced purges softly, within the bounds of
// unannounced.
func (a *Announcement) KeepPending(ctx context.Context, cause string, earlier *Announcement) {
	if a == nil {
		return
	}
	p := Purge{Tags: a.tags, From: cause}
	if a.id == "" {
		p.Tags, p.Soft = a.cache.unannounced.admit(a.tags, a.cache.options.Clock()), true
		if len(p.Tags) > 0 {
			a.cache.Purge(ctx, p)
		}
		return
	}
	if earlier != nil && len(a.tags)+len(earlier.tags) <= maxUnion && a.cache.log.pending(earlier.id) {
		defer earlier.Withdraw()
		a.tags = slices.Concat(a.tags, earlier.tags)
		slices.Sort(a.tags)
		a.tags = slices.Compact(a.tags)
		p.Tags = a.tags
	}
	r := a.cache.record(p)
	r.Ends = a.id
	r.Begins = true
	a.id = r.ID
	a.cache.publish(ctx, r)
}

// maxUnion bounds the tags of a pending write that replaces another one. Above it the earlier one stays.
const maxUnion = 1000
