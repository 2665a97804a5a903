// Package cache stores complete responses and decides when they may be served again.
//
// It knows no HTTP and no calendar: an [Entry] is bytes with a lifetime and tags. Redis
// (see [github.com/calfacade/calfacade/cache/redisstore]) is optional, and never the cause
// of an error.
//
//	serve.go   [Cache.Serve]: the life of a lookup, and what an entry may be used for now
//	fill.go    a fetch, from Redis or the source
//	flights.go one fetch for all that wait for a key
//	remote.go  the tier that all instances share, and [Cache.Look]
//	purge.go   purges, writes in progress ([Announcement]), and purges that are not in the
//	           shared log yet ([Pending])
//	log.go     [Log]: which tags were purged or are in doubt, and the records of the log
//	memory.go  the tier of this process, and the bytes that an entry takes there
//	entry.go   an entry, and its encoding for Redis
//	cache.go   [Cache]: its parts, [Options], and what it reports about itself
//
// Concurrent requests for a key share a flight of this package, not of
// golang.org/x/sync/singleflight: a request that arrives after a purge must not get the
// result of a fetch that began before it (see flights.go).
package cache

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2/stats"
	"go.opentelemetry.io/otel/trace"
)

// Cache serves from memory, then from Redis, then by one fetch for all callers that wait
// for the key. It is safe for concurrent use.
type Cache struct {
	options Options
	memory  *memory
	log     *Log

	fetches   flights       // from Redis or the source
	direct    flights       // from the source, for requests that no entry may serve; see [Cache.trusts]
	refreshes chan struct{} // a slot for each refresh in progress
	refreshed sync.Map      // keys that are being refreshed

	ctx     context.Context // of work that outlives a request; cancelled by Close
	cancel  context.CancelFunc
	closing sync.RWMutex   // held while ctx is cancelled
	running sync.WaitGroup // in the background, for a request

	delivering sync.WaitGroup // pending purges
	suspicions suspicions

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
		direct:    flights{under: map[string]*flight{}},
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
	FetchWithoutRedis bool     // while Redis is down, fetch instead of serving from memory
	Pending           *Pending // purges of this process that are not in the log; nil: of this cache alone

	TagSpace string // identifies what tags there are, by letters and digits; see [Cache.Purge]

	Slow  time.Duration // how long a fetch may take before a stale entry is served instead; 0 is 2 s
	Lease time.Duration // how long instances wait for one that died while it fetched; 0 is 500 ms
	Doubt time.Duration // how long a write whose outcome is not reported leaves its tags in doubt; 0 is 60 s

	Caller func(context.Context) any // the caller of a request, a comparable value, see [Fetched]; nil: all are the same
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

// Stats counts since New.
type Stats struct {
	Fetches           uint64 // from the source
	Purges, Evictions uint64
	Pending           int // purges that Redis has not taken yet

	Bytes   uint64 // of entries in memory now
	Limit   uint64 // the largest value of Bytes
	Entries int    // in memory now
}

type counters struct{ fetches, purges atomic.Uint64 }

// evictions counts evictions from memory. The other counters of otter would cost each hit
// something, and are counted here anyway.
type evictions struct {
	stats.NoopRecorder
	n atomic.Uint64
}

// RecordEviction implements [stats.Recorder].
func (e *evictions) RecordEviction(uint32) { e.n.Add(1) }

// Stats returns the counters.
func (c *Cache) Stats() Stats {
	bytes := c.memory.weight() // first: it may evict
	return Stats{
		Fetches: c.stats.fetches.Load(), Purges: c.stats.purges.Load(),
		Evictions: c.memory.evicted.n.Load(),
		Bytes:     bytes, Limit: c.memory.bytes,
		Entries: c.memory.entries.EstimatedSize(),
		Pending: c.options.Pending.Len(),
	}
}
