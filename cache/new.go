package cache

import (
	"cmp"
	"context"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// New returns a cache, which becomes the follower of the log in Redis.
func New(o Options) *Cache {
	o = o.withDefaults()
	c := &Cache{
		options:   o,
		memory:    newMemory(o.Memory, o.MaxEntry),
		log:       NewLog(),
		fetches:   sharedFetches{current: map[string]*sharedFetch{}},
		direct:    sharedFetches{current: map[string]*sharedFetch{}},
		refreshes: make(chan struct{}, maxRefreshes),
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	if o.Shared != nil {
		o.Shared.Follow(follower{Log: c.log, cache: c})
		c.delivering.Go(c.deliver)
	}
	return c
}

// Close cancels refreshes and other background work, and waits for it. It leaves Redis open.
func (c *Cache) Close() {
	c.closing.Lock()
	c.cancel()
	c.closing.Unlock()
	c.running.Wait()
	c.delivering.Wait()
}

// DefaultMemory is the default of [Options.Memory], in bytes, and of the memory that the configuration divides.
const DefaultMemory = 256 << 20

func (o Options) withDefaults() Options {
	if o.Caller == nil {
		o.Caller = func(context.Context) any { return nil }
	}
	o.Memory = cmp.Or(o.Memory, DefaultMemory)
	o.MaxEntry = cmp.Or(o.MaxEntry, 4<<20)
	o.Slow = cmp.Or(o.Slow, 2*time.Second)
	o.Lease = cmp.Or(o.Lease, 500*time.Millisecond)
	o.WriteExpiry = cmp.Or(o.WriteExpiry, time.Minute)
	if o.Pending == nil {
		o.Pending = new(Pending)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}

// ReadLog brings this process to the end of the log that all instances share, as it was at a moment
// after the call, and reports whether all purges made before the call are known. If not, a request is
// served by a fetch; once Redis is down, [Options.FetchWithoutRedis] decides. A request reads the log once, before
// everything that depends on it.
func (c *Cache) ReadLog() (current bool) {
	return c.options.Shared == nil || c.options.Shared.ReadLog() == nil
}

// deliver reads the log while purges are pending, since no request may come that does, until Close.
func (c *Cache) deliver() {
	tick := time.NewTicker(deliverEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-tick.C:
			if c.options.Pending.Len() > 0 {
				c.ReadLog()
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
	if f.cache.options.Pending.Len() == 0 {
		return nil
	}
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
			f.cache.apply(positions[i], r.inSpace(f.cache.options.TagSpace), true)
		}
		return nil
	})
}

// Apply implements [redisstore.Follower].
func (f follower) Apply(position redisstore.Position, record []byte) {
	f.cache.apply(position, decodeRecord(record).inSpace(f.cache.options.TagSpace), false)
}
