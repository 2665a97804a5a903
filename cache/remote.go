package cache

import (
	"context"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Look brings this process to the end of the log that all instances share, as it was at a moment
// after the call, and reports whether all purges made before the call are known. If not, a request is
// served by a fetch; once Redis is down, [Options.FetchWithoutRedis] decides. A request looks once, before
// everything that depends on it.
func (c *Cache) Look() (known bool) {
	return c.options.Shared == nil || c.options.Shared.Look() == nil
}

// deliverEvery is the interval of looks that deliver pending purges.
const deliverEvery = 200 * time.Millisecond

// deliver looks while purges are pending, for want of requests that do, until Close.
func (c *Cache) deliver() {
	tick := time.NewTicker(deliverEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-tick.C:
			if c.options.Pending.Len() > 0 {
				c.Look()
			}
		}
	}
}

// follower is this instance's end of the purge log.
type follower struct {
	*Log
	cache *Cache
}

// Flush implements [redisstore.Follower].
func (f follower) Flush(send redisstore.AppendFunc) error {
	return f.cache.options.Pending.flush(func(pending []record) error {
		var encoded [][]byte
		for _, r := range pending {
			encoded = append(encoded, r.encode())
		}
		positions, err := send(encoded)
		if err != nil {
			return err
		}
		for i, r := range pending {
			f.cache.apply(positions[i], r.in(f.cache.options.TagSpace), true)
		}
		return nil
	})
}

// Apply implements [redisstore.Follower].
func (f follower) Apply(at redisstore.Position, record []byte) {
	f.cache.apply(at, decodeRecord(record).in(f.cache.options.TagSpace), false)
}

// serves reports whether entries in Redis may be served: Redis works, and its log has all purges
// of this process.
func (c *Cache) serves() bool {
	return c.options.Shared != nil && c.options.Shared.Up() && c.options.Pending.Len() == 0
}

// decode returns the entry of key in Redis with its age; nil if there is none, or a damaged or foreign one. One of
// another epoch of the log is foreign: in a log that lost records its position may be later than the next purges'.
func (c *Cache) decode(key string, found redisstore.Found) *Entry {
	e, made, err := Decode(found.Epoch+key, found.Data)
	if err != nil {
		return nil
	}
	age := c.options.Shared.Now().Sub(made)
	if age < -maxAhead {
		return nil // made by a clock that was set back since
	}
	c.log.Reached(e.Position) // a purge without Redis is later than everything that is known
	e.Created = c.options.Clock().Add(-max(0, age))
	return e
}

// maxAhead is how far the clocks of two instances may be apart, which both read Redis's.
const maxAhead = 200 * time.Millisecond

// put stores e, whose fetch began in an epoch of the log, unless a tag of it is in doubt.
func (c *Cache) put(ctx context.Context, key, epoch string, e *Entry) {
	if _, until := c.log.judge(e); epoch == "" || e.Life.Negative || !until.IsZero() || !c.log.shared(e.Position) || !c.serves() {
		return
	}
	at, age := c.options.Shared.Now(), e.age(c.options.Clock())
	if left := e.Life.total() - age; !at.IsZero() && left > 0 {
		c.options.Shared.Put(ctx, key, Encode(epoch+key, e, at.Add(-age)), left)
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
	Wait(ctx context.Context, key string) error
}
