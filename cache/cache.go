// Package cache stores complete responses and decides when they may be served again.
//
// It knows no HTTP and no calendar: an [Entry] is bytes with a lifetime and tags. Redis
// (see [github.com/calfacade/calfacade/cache/redisstore]) is optional, and never the cause
// of an error.
//
// Its files use only files below them:
//
//	new.go     [New]; [Cache.ReadLog], and the records of the log that Redis brings
//	serve.go   [Cache.Serve]: the life of a lookup
//	fill.go    a fetch, from Redis or the source
//	derive.go  an entry that is made of another ([Cache.Derive])
//	purge.go   purges, and writes in progress ([Announcement])
//	cache.go   [Cache]: its parts, [Options], and the statistics
//	fetches.go one fetch for all that wait for a key, and its result
//	memory.go  the tier of this process, and the bytes that an entry takes there
//	log.go     [Log]: purges and pending writes by tag, and what an entry may be used for
//	record.go  a purge, its record in the log, and records that are not in the log yet ([Pending])
//	entry.go   an entry, and its encoding for Redis
//
// Concurrent requests for a key share a fetch by this package, not by
// golang.org/x/sync/singleflight: a request that arrives after a purge must not get the
// result of a fetch that began before it (see fetches.go).
package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/singleflight"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Cache serves from memory, then from Redis, then by one fetch for all callers that wait
// for the key. It is safe for concurrent use.
type Cache struct {
	options Options
	memory  *memory
	log     *Log

	fetches     sharedFetches      // from Redis or the source
	derivations singleflight.Group // see [Cache.Derive]
	direct      sharedFetches      // from the source, for requests that no entry may serve; see [Cache.trusts]
	refreshes   chan struct{}      // a slot for each refresh in progress
	refreshed   sync.Map           // keys that are being refreshed

	ctx     context.Context // of work that outlives a request; cancelled by Close
	cancel  context.CancelFunc
	closing sync.RWMutex   // held while ctx is cancelled
	running sync.WaitGroup // in the background, for a request

	delivering  sync.WaitGroup // pending purges
	unannounced unannounced

	stats counters
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
	Memory   int64 // bytes of all entries in this process; 0 is [DefaultMemory]
	MaxEntry int   // bytes of one entry in memory; larger ones are stored in Redis alone; 0 is 4 MiB

	Shared            Shared   // the tier that all instances share, such as a [redisstore.Store]; nil disables it
	FetchWithoutRedis bool     // while Redis is down, fetch instead of serving from memory
	Pending           *Pending // purges of this process that are not in the log; nil: of this cache alone

	TagSpace string // identifies what tags there are, by letters and digits; see [Cache.Purge]

	Slow        time.Duration // how long a fetch may take before a stale entry is served instead; 0 is 2 s
	Lease       time.Duration // how long instances wait for one that died while it fetched; 0 is 500 ms
	WriteExpiry time.Duration // how long a write whose outcome is not reported stays pending; 0 is 60 s

	Caller func(context.Context) any // the caller of a request, a comparable value, see [Fetched]; nil: all are the same
	Purged func(Purged)              // is called with each purge, and must not block; nil disables it
	Clock  func() time.Time          // nil is time.Now
}

// Shared has the methods that a [Cache] needs of the tier that all instances share. A [redisstore.Store] implements it.
type Shared interface {
	Follow(redisstore.Follower)
	ReadLog() error
	Append(ctx context.Context, record []byte) (redisstore.Position, error)
	Up() bool
	Now() time.Time

	Find(ctx context.Context, key string, life time.Duration) (redisstore.Found, error)
	Put(ctx context.Context, key string, data []byte, life time.Duration)
	Wait(ctx context.Context, key string) error
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
