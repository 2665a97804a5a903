package cache

import (
	"context"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Look brings this process to the end of the log that all instances share, as it was at a moment
// after the call, and reports whether stored entries may be served: a purge that was made before
// the call is known. While Redis does not answer, [Options.FetchWithoutRedis] decides. A request
// looks once, before everything that depends on it.
func (c *Cache) Look() (known bool) {
	return c.redis == nil || c.redis.Look() == nil
}

// deliverEvery is the pause between two looks that deliver pending purges.
const deliverEvery = 200 * time.Millisecond

// deliver looks until no purge is pending, for want of requests that do.
func (c *Cache) deliver() {
	if c.delivering.Swap(true) {
		return
	}
	c.background(func() {
		for c.ctx.Err() == nil && c.pending.Len() > 0 {
			c.Look()
			select {
			case <-c.ctx.Done():
			case <-time.After(deliverEvery):
			}
		}
		if c.delivering.Store(false); c.ctx.Err() == nil && c.pending.Len() > 0 {
			c.deliver() // a purge came in between
		}
	})
}

// follower is this instance's end of the purge log.
type follower struct {
	*Log
	cache *Cache
}

// Flush implements [redisstore.Follower].
func (f follower) Flush(append func([]byte) (redisstore.Position, error)) error {
	return f.cache.pending.flush(func(r record) error {
		at, err := append(r.encode())
		if err == nil {
			f.cache.apply(at, r.in(f.cache.options.TagSpace), true)
		}
		return err
	})
}

// Apply implements [redisstore.Follower].
func (f follower) Apply(at redisstore.Position, record []byte) {
	f.cache.apply(at, decodeRecord(record).in(f.cache.options.TagSpace), false)
}

// serves reports whether entries in Redis may be served: Redis works, and its log has all purges
// of this process.
func (c *Cache) serves() bool { return c.redis != nil && c.redis.Up() && c.pending.Len() == 0 }

// decode returns the entry of key in Redis with its age; nil if there is none.
func (c *Cache) decode(key string, data []byte) *Entry {
	if data == nil {
		return nil
	}
	e, made, err := Decode(key, data)
	if err != nil {
		c.stats.foreign.Add(1)
		return nil
	}
	age := c.redis.Now().Sub(made)
	if age < -maxAhead {
		return nil // made by a clock that was set back since
	}
	c.log.Reached(e.Position) // a purge without Redis is later than everything that is known
	e.Created = c.options.Clock().Add(-max(0, age))
	return e
}

// maxAhead is how far the clocks of two instances may be apart, which both read Redis's.
const maxAhead = 200 * time.Millisecond

// put stores e, unless a tag of it is in doubt.
func (c *Cache) put(ctx context.Context, key string, e *Entry) {
	if _, until := c.log.judge(e); c.redis == nil || e.Life.Negative || !until.IsZero() || !c.serves() {
		return
	}
	at, age := c.redis.Now(), e.age(c.options.Clock())
	if left := e.Life.total() - age; !at.IsZero() && left > 0 {
		ctx, end := c.observe(ctx, CallPut)
		c.redis.Put(ctx, key, Encode(key, e, at.Add(-age)), left)
		end(nil)
	}
}

// Shared has the methods that a [Cache] needs of the tier that all instances share. A [redisstore.Store] implements it.
type Shared interface {
	Follow(redisstore.Follower)
	Look() error
	Append(ctx context.Context, record []byte) (redisstore.Position, error)
	Up() bool
	Now() time.Time

	Find(ctx context.Context, key string, life time.Duration) (redisstore.Found, error)
	Put(ctx context.Context, key string, data []byte, life time.Duration)
	Wait(ctx context.Context, key string) (failure string, err error)
}

// Observer observes calls on Redis. Its methods are called concurrently.
type Observer interface {
	// Call is called before a call on Redis with one of the names below. It returns the
	// context for that call, and a function that is called at its end.
	Call(ctx context.Context, name string) (_ context.Context, end func(error))

	// Carry adds to life, the context of work that outlives a request, what the observer
	// needs of the request that began the work.
	Carry(life, request context.Context) context.Context
}

// The calls on Redis that a request or a fetch waits for.
const (
	CallFind   = "find"   // reads an entry, and acquires the lease on its key
	CallWait   = "wait"   // waits for the holder of the lease
	CallPut    = "put"    // stores an entry, after the response
	CallAppend = "append" // appends a record to the purge log
)
