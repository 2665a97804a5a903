package cache

import (
	"context"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// maxRefreshes is the largest number of concurrent refreshes.
const maxRefreshes = 16

// passFor is how long a key whose response was not to be shared is not coalesced (hit-for-miss).
const passFor = 10 * time.Second

// refresh fetches key in the background, unless a refresh of it is in progress or there is no
// slot. Then the next request tries again.
func (c *Cache) refresh(ctx context.Context, key string, fetch Fetch) {
	if _, ok := c.refreshed.LoadOrStore(key, true); ok {
		return
	}
	select {
	case c.refreshes <- struct{}{}:
	default:
		c.refreshed.Delete(key)
		return
	}
	ctx = c.lasting(ctx)
	c.background(func() {
		defer func() {
			<-c.refreshes
			c.refreshed.Delete(key)
		}()
		// After a failure the stale entry stays, until its life is over.
		_, _ = c.fetchOnce(ctx, key, fresh, fetch, Reason{Refresh: true})
	})
}

// fetchOnce returns the entry in Redis, if its condition is enough; else it fetches key, or waits for
// the instance that is fetching it. It waits once: without a fresh entry then, each instance fetches.
// An entry that may be served instead of an error is in the result beside the error.
func (c *Cache) fetchOnce(life context.Context, key string, enough condition, fetch Fetch, why Reason) (outcome filled, err error) {
	if !c.serves() {
		return c.fetch(life, key, fetch, why, redisstore.Found{})
	}
	began := time.Now()
	lookup, e := c.find(life, key)
	if lookup.Held && c.log.condition(e, c.options.Clock()) < enough {
		if c.options.Shared.Wait(life, key) == nil {
			enough = fresh
			lookup, e = c.find(life, key)
		}
		why.Waited = time.Since(began)
	}
	if c.log.condition(e, c.options.Clock()) >= enough {
		c.release(lookup.Lease)
		return filled{entry: e}, nil
	}
	why.Known = why.Known || e.served()
	if outcome, err = c.fetch(life, key, fetch, why, lookup); err != nil {
		outcome.entry = e
	}
	return outcome, err
}

// find looks key up in Redis, and acquires the lease on it. What may be served, if only in place
// of an error, goes into memory.
func (c *Cache) find(ctx context.Context, key string) (redisstore.Found, *Entry) {
	lookup, _ := c.options.Shared.Find(ctx, key, c.options.Lease)
	e := c.decode(key, lookup)
	now := c.options.Clock()
	if !c.serves() {
		e = nil // a purge of this process that Redis has not taken may have come meanwhile
	}
	if c.log.condition(e, now) > c.log.condition(c.memory.get(key), now) {
		c.memory.set(key, e)
	}
	return lookup, e
}

// fetch fetches key and stores the response if that is allowed. The lease of the lookup, if
// any, is released once the other processes can find the response, or there is nothing to find.
func (c *Cache) fetch(ctx context.Context, key string, fetch Fetch, why Reason, lookup redisstore.Found) (filled, error) {
	c.stats.fetches.Add(1)
	began := c.options.Clock()
	position := c.log.Position()
	var stored *Entry // nil also after an error, or a panic
	defer func() {
		if stored == nil {
			c.release(lookup.Lease)
		}
	}()
	fetched, err := fetch(ctx, why)
	if err != nil {
		return filled{refused: fetched.Refused}, err
	}
	e := fetched.Entry
	e.Created, e.Position = began, position
	result := c.log.result(e, Miss, c.options.Clock())
	verdict, _ := c.log.judge(e)
	result.Stored = fetched.Store && verdict <= writePending
	switch {
	case result.Stored:
		stored = e
	case fetched.Store:
		result.Fleeting = true // a purge overtook the fetch
	case !fetched.Share:
		stored = &Entry{Status: hitForMiss, Created: began, Position: position, Life: Life{Fresh: passFor}}
	}
	if stored != nil {
		c.keep(ctx, key, stored, lookup)
	}
	return filled{result: result, share: fetched.Store || fetched.Share}, nil
}

// keep stores e: in memory, and in the background in Redis.
func (c *Cache) keep(ctx context.Context, key string, e *Entry, lookup redisstore.Found) {
	c.memory.set(key, e)
	if c.options.Shared == nil {
		return
	}
	ctx = c.lasting(ctx)
	c.background(func() {
		defer c.release(lookup.Lease)
		later := c.memory.get(key)
		if later == nil || !later.Created.After(e.Created) {
			c.put(ctx, key, lookup.Epoch, e)
		}
	})
}

// release releases a lease in the background; a nil lease is ignored.
func (c *Cache) release(lease *redisstore.Lease) {
	if lease != nil {
		c.background(func() { lease.Release(c.ctx) })
	}
}

// serves reports whether entries in Redis may be served: Redis works, and its log has all purges
// of this process.
func (c *Cache) serves() bool {
	return c.options.Shared != nil && c.options.Shared.Up() && c.options.Pending.Len() == 0
}

// decode returns the entry of key in Redis with its age; nil without one, for a damaged or foreign one. One of
// another epoch of the log is foreign: in a log that lost records its position may be later than the next purges'.
func (c *Cache) decode(key string, lookup redisstore.Found) *Entry {
	e, began, err := Decode(lookup.Epoch+key, lookup.Data)
	if err != nil {
		return nil
	}
	age := c.options.Shared.Now().Sub(began)
	if age < -maxAhead {
		return nil // made by a clock that was set back since
	}
	c.log.Reached(e.Position) // a purge without Redis is later than everything that is known
	e.Created = c.options.Clock().Add(-max(0, age))
	return e
}

// maxAhead is how far the clocks of two instances may be apart, which both read Redis's.
const maxAhead = 200 * time.Millisecond

// put stores e, whose fetch began in an epoch of the log, unless a write to a tag of it is pending.
func (c *Cache) put(ctx context.Context, key, epoch string, e *Entry) {
	_, until := c.log.judge(e)
	if epoch == "" || e.Life.Negative || !until.IsZero() || !c.log.shared(e.Position) || !c.serves() {
		return
	}
	now := c.options.Shared.Now()
	age := e.age(c.options.Clock())
	life := e.Life.total() - age
	if !now.IsZero() && life > 0 {
		c.options.Shared.Put(ctx, key, Encode(epoch+key, e, now.Add(-age)), life)
	}
}
