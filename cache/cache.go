package cache

import (
	"cmp"
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// Cache serves from memory, then from Redis, then by one fetch for all callers that wait
// for the key. It is safe for concurrent use.
type Cache struct {
	options Options
	memory  *memory
	log     *Log

	fetches   flights       // from Redis or the source
	refreshes chan struct{} // a slot for each refresh in progress
	refreshed sync.Map      // keys that are being refreshed

	ctx     context.Context // of what outlives a request; cancelled by Close
	cancel  context.CancelFunc
	closing sync.RWMutex   // held while ctx is cancelled
	running sync.WaitGroup // in the background

	delivering sync.WaitGroup // pending purges

	stats counters
}

// New returns a cache, which becomes the follower of the log in Redis.
func New(o Options) *Cache {
	o = o.withDefaults()
	c := &Cache{
		options:   o,
		memory:    newMemory(o.Memory, o.MaxEntry),
		log:       NewLog(),
		fetches:   flights{under: map[string]*flight{}},
		refreshes: make(chan struct{}, maxRefreshes),
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	if o.Shared != nil {
		o.Shared.Follow(follower{c.log, c})
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

// background runs f on another goroutine. [Cache.Close] does not wait for what begins after it: a wait
// group that may be empty must not grow meanwhile.
func (c *Cache) background(f func()) {
	c.closing.RLock()
	defer c.closing.RUnlock()
	if c.ctx.Err() != nil {
		go f()
		return
	}
	c.running.Go(f)
}

// lasting returns the context of work that is begun for a request and outlives it. It belongs to the
// trace of the request.
func (c *Cache) lasting(request context.Context) context.Context {
	return trace.ContextWithSpanContext(c.ctx, trace.SpanContextFromContext(request))
}

// Options configure a Cache.
type Options struct {
	Memory   int64 // bytes of all entries in this process; 0 is 256 MiB
	MaxEntry int   // bytes of one entry in memory; larger ones are stored in Redis alone; 0 is 4 MiB

	Shared            Shared   // the tier that all instances share, such as a [redisstore.Store]; nil disables it
	FetchWithoutRedis bool     // while Redis does not answer, fetch instead of serving from memory
	Pending           *Pending // purges of this process that are not in the log; nil: of this cache alone

	TagSpace string // identifies what tags there are, by letters and digits; see [Cache.Purge]

	Slow  time.Duration // how long a fetch may take before a stale entry is served instead; 0 is 2 s
	Lease time.Duration // how long instances wait for one that died while it fetched; 0 is 500 ms
	Doubt time.Duration // how long a write whose outcome is not reported leaves its tags in doubt; 0 is 60 s

	Caller func(context.Context) any // the caller of a request, a comparable value that [OnJoin] reports; nil: all are the same
	Purged func(Purged)              // is called with each purge, and must not block; nil disables it
	Clock  func() time.Time          // nil is time.Now
}

func (o Options) withDefaults() Options {
	if o.Caller == nil {
		o.Caller = func(context.Context) any { return nil }
	}
	o.Memory = cmp.Or(o.Memory, 256<<20)
	o.MaxEntry = cmp.Or(o.MaxEntry, 4<<20)
	o.Slow = cmp.Or(o.Slow, 2*time.Second)
	o.Lease = cmp.Or(o.Lease, 500*time.Millisecond)
	o.Doubt = cmp.Or(o.Doubt, time.Minute)
	o.Pending = cmp.Or(o.Pending, new(Pending))
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}
