package cache

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Purge purges the entries that show any of the tags: here before it returns, and at every
// other instance through the log.
func (c *Cache) Purge(ctx context.Context, p Purge) { c.purge(ctx, record{Purge: p}) }

func (c *Cache) purge(ctx context.Context, r record) {
	c.stats.purges.Add(1)
	if c.remote.redis == nil {
		c.note(c.next(r), r, true, c.options.Clock())
		return
	}
	c.remote.purge(ctx, r)
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

// purge appends to the log, and returns once every instance has applied the record or none
// serves without it. A record that cannot be appended is applied here, and pending.
func (r *remote) purge(ctx context.Context, p record) {
	ctx, end := r.cache.observe(ctx, CallAppend)
	at, applied, err := r.redis.AppendAwaited(ctx, p.encode())
	end(err)
	if err == nil {
		r.cache.apply(at, p)
		r.cache.note(at, p, true, at.Time())
		ctx, end := r.cache.observe(ctx, CallConfirm)
		applied(ctx)
		end(nil)
		return
	}
	r.cache.note(0, p, true, r.cache.options.Clock())
	r.wait(p)
}

// Apply implements Follower.
func (r *remote) Apply(at redisstore.Position, record []byte) {
	p := decodeRecord(record)
	r.cache.apply(at, p)
	if !p.note {
		r.cache.note(at, p, false, at.Time())
	}
}

// Distrust implements Follower.
func (r *remote) Distrust(at redisstore.Position) { r.cache.log.Distrust(at) }

// Checking implements Follower.
func (r *remote) Checking() { r.checking = r.cache.options.Clock() }

// Lost implements Follower.
func (r *remote) Lost() {
	defer r.state.Lose()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.caught = false
}

// flushed is the largest number of pending purges that are appended between two checks: few
// enough that the checks are not late.
const flushed = 100

// Caught implements Follower. Pending purges are appended before anything from Redis is
// served.
func (r *remote) Caught(at redisstore.Position) {
	r.cache.log.reach(at)
	r.state.CaughtUp(r.checking)
	for range flushed {
		p, resets, ok := r.first()
		if !ok {
			break
		}
		at, err := r.redis.Append(r.cache.ctx, p.encode())
		if err != nil {
			return // until the next time
		}
		r.cache.apply(at, p)
		r.cache.note(at, p, true, at.Time())
		r.sent(resets)
	}
	r.mu.Lock()
	r.caught = true
	r.mu.Unlock()
	r.caughtAt.Store(time.Now().UnixNano())
}

// maxPending bounds the purges that wait for Redis; beyond it everything is purged when Redis
// is back.
const maxPending = 10_000

// wait applies a purge, and adds it to those that are pending.
func (r *remote) wait(p record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cache.next(p)
	if len(r.pending) >= maxPending {
		r.pending, r.resets = []record{{Purge: Purge{All: true}}}, r.resets+1
		return
	}
	r.pending = append(r.pending, p)
}

// first returns the oldest pending purge.
func (r *remote) first() (p record, resets int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.pending) == 0 {
		return record{}, 0, false
	}
	return r.pending[0], r.resets, true
}

// sent removes it, unless pending has overflowed since.
func (r *remote) sent(resets int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.resets == resets {
		r.pending = r.pending[1:]
	}
}
