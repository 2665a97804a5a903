package cache

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Cache serves from memory, then from Redis, then by one fetch for all callers that wait
// for the key. It is safe for concurrent use.
type Cache struct {
	options Options
	memory  *memory
	redis   Shared // the tier that all instances share; nil without Redis
	pending *Pending
	log     *Log

	fetches   flights       // from Redis or the source
	refreshes chan struct{} // a slot for each refresh in progress
	refreshed sync.Map      // keys that are being refreshed

	delivering atomic.Bool // pending purges

	compressions chan struct{} // a slot for each body that is being compressed

	ctx     context.Context // of what outlives a request; cancelled by Close
	cancel  context.CancelFunc
	closing sync.RWMutex   // held while ctx is cancelled
	running sync.WaitGroup // in the background

	stats  counters
	recent recent
}

// New returns a cache, which becomes the follower of the log in Redis.
func New(o Options) *Cache {
	o = o.withDefaults()
	ctx, cancel := context.WithCancel(context.Background())
	c := &Cache{
		options:   o,
		memory:    newMemory(o.Memory, o.MaxEntry),
		redis:     o.Shared,
		pending:   o.Pending,
		log:       NewLog(),
		fetches:   flights{under: map[string]*flight{}},
		refreshes: make(chan struct{}, maxRefreshes),

		compressions: make(chan struct{}, runtime.GOMAXPROCS(0)),

		ctx:    ctx,
		cancel: cancel,
	}
	if o.Shared != nil {
		o.Shared.Follow(follower{c.log, c})
		o.Pending.deliverBy(c.deliver)
	}
	return c
}

// Close cancels refreshes and other background work, and waits for it. It leaves Redis open.
func (c *Cache) Close() {
	c.closing.Lock()
	c.cancel()
	c.closing.Unlock()
	c.running.Wait()
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

// observe reports a call on Redis to the observer, unless Redis is down: then no call is
// made.
func (c *Cache) observe(ctx context.Context, name string) (context.Context, func(error)) {
	if c.options.Observer == nil || c.redis == nil || !c.redis.Up() {
		return ctx, func(error) {}
	}
	return c.options.Observer.Call(ctx, name)
}

// lasting returns the context of work that is begun for a request and outlives it.
func (c *Cache) lasting(request context.Context) context.Context {
	if c.options.Observer == nil {
		return c.ctx
	}
	return c.options.Observer.Carry(c.ctx, request)
}
