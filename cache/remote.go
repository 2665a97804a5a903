package cache

import (
	"context"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// remote is the tier that all instances share, and this instance's end of the purge log.
// Without Redis every lookup is a miss.
type remote struct {
	redis   Shared // nil without Redis
	cache   *Cache
	pending *Pending
}

// Look brings this process to the end of the log that all instances share, as it was at a moment
// after the call, and reports whether what is stored may be served: a purge that was made before
// the call is known. While Redis does not answer, [Options.FetchWithoutRedis] decides. A request
// looks once, before everything that depends on it.
func (c *Cache) Look() (known bool) {
	return c.remote.redis == nil || c.remote.redis.Look() == nil
}

// Position implements [redisstore.Follower].
func (r *remote) Position() redisstore.Position { return r.cache.log.Position() }

// deliverEvery is the pause between two looks that deliver pending purges.
const deliverEvery = 200 * time.Millisecond

// deliver looks until no purge is pending, for want of requests that do.
func (c *Cache) deliver() {
	if c.delivering.Swap(true) {
		return
	}
	c.background(func() {
		for c.ctx.Err() == nil && c.remote.pending.Len() > 0 {
			c.Look()
			select {
			case <-c.ctx.Done():
			case <-time.After(deliverEvery):
			}
		}
		if c.delivering.Store(false); c.ctx.Err() == nil && c.remote.pending.Len() > 0 {
			c.deliver() // a purge came in between
		}
	})
}

// Flush implements [redisstore.Follower].
func (r *remote) Flush(append func([]byte) (redisstore.Position, error)) error {
	return r.pending.flush(func(p record) error {
		at, err := append(p.encode())
		if err != nil {
			return err
		}
		p = p.in(r.cache.options.TagSpace)
		r.cache.apply(at, p)
		r.cache.note(at, p, true, at.Time())
		return nil
	})
}

// Apply implements [redisstore.Follower].
func (r *remote) Apply(at redisstore.Position, record []byte) {
	p := decodeRecord(record).in(r.cache.options.TagSpace)
	r.cache.apply(at, p)
	if !p.note {
		r.cache.note(at, p, false, at.Time())
	}
}

// Distrust implements [redisstore.Follower].
func (r *remote) Distrust(at redisstore.Position) { r.cache.log.Distrust(at) }

// Reached implements [redisstore.Follower].
func (r *remote) Reached(at redisstore.Position) { r.cache.log.reach(at) }

// purge appends to the log. It returns once every request that arrives later at any instance
// knows the purge, or Redis does not take it; then shared is false, and it is applied here and
// pending.
func (r *remote) purge(ctx context.Context, p record) (shared bool) {
	ctx, end := r.cache.observe(ctx, CallAppend)
	at, err := r.redis.Append(ctx, p.encode())
	end(err)
	if err == nil {
		r.cache.apply(at, p)
		r.cache.note(at, p, true, at.Time())
		return true
	}
	r.pending.add(p) // first: from here on nothing of Redis is served, which may be later than p
	r.cache.next(p)
	r.cache.note(0, p, true, r.cache.options.Clock())
	return false
}

// serves reports whether entries in Redis may be served: Redis works, and its log has all purges
// of this process.
func (r *remote) serves() bool { return r.redis != nil && r.redis.Up() && r.pending.Len() == 0 }

// decode returns the entry of key in Redis with its age; nil if there is none.
func (r *remote) decode(key string, data []byte) *Entry {
	if data == nil {
		return nil
	}
	e, made, err := Decode(key, data)
	if err != nil {
		r.cache.stats.foreign.Add(1)
		return nil
	}
	age := r.redis.Now().Sub(made)
	if age < -maxAhead {
		return nil // made by a clock that was set back since
	}
	r.cache.log.reach(e.Position) // a purge without Redis is later than everything that is known
	e.Created = r.cache.options.Clock().Add(-max(0, age))
	return e
}

// maxAhead is how far the clocks of two instances may be apart, which both read Redis's.
const maxAhead = 200 * time.Millisecond

// put stores e, unless a tag of it is in doubt.
func (r *remote) put(ctx context.Context, key string, e *Entry) {
	if _, in := r.cache.log.until(e); r.redis == nil || e.Life.Negative || in || !r.serves() {
		return
	}
	at, age := r.redis.Now(), e.age(r.cache.options.Clock())
	if left := e.Life.total() - age; !at.IsZero() && left > 0 {
		ctx, end := r.cache.observe(ctx, CallPut)
		r.redis.Put(ctx, key, Encode(key, e, at.Add(-age)), left)
		end(nil)
	}
}
