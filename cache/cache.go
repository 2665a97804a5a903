package cache

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
)

// Cache answers from memory, then from Redis, then by one fetch for all who ask.
// It is safe for concurrent use.
type Cache struct {
	options Options
	memory  *memory
	remote  remote // Redis, if there is one
	log     *Log

	lookups   flights[*Entry] // in Redis
	fetches   flights[filled] // from the source
	refreshes chan struct{}   // a place for each refresh under way
	under     sync.Map        // keys that are being refreshed

	finishes  chan struct{} // a place for each entry that is being completed
	finishing sync.Map      // keys of those that somebody asked for

	ctx     context.Context // of what outlives a request; ends with Close
	cancel  context.CancelFunc
	running tracker

	stats  counters
	recent recent
}

// New makes a cache. With Redis it follows the purge log until Close.
func New(o Options) *Cache {
	o = o.withDefaults()
	ctx, cancel := context.WithCancel(context.Background())
	c := &Cache{
		options:   o,
		memory:    newMemory(o.Memory, o.MaxEntry),
		log:       NewLog(),
		refreshes: make(chan struct{}, o.Refreshes),
		finishes:  make(chan struct{}, runtime.GOMAXPROCS(0)),
		ctx:       ctx,
		cancel:    cancel,
	}
	c.running.none.L = &c.running.mu
	if o.Redis != nil {
		c.remote.redis, c.remote.cache = o.Redis, c
		c.remote.confirmed.wait = o.Redis.options.PurgeWait
		c.background(func() { o.Redis.Follow(ctx, &c.remote) })
	}
	return c
}

// Close ends refreshes and background work, and waits for them. Redis, which the
// caller opened, stays open.
func (c *Cache) Close() {
	c.cancel()
	c.running.wait()
}

func (c *Cache) background(f func()) {
	c.running.begin()
	go func() {
		defer c.running.end()
		f()
	}()
}

// Serve gives the answer of key. It waits for no longer than the deadline of ctx,
// while the fetch, which others may wait for, goes on. If ctx has none the caller
// may be the one who fetches: then it returns once that is done, even if ctx was
// cancelled meanwhile.
func (c *Cache) Serve(ctx context.Context, key string, fetch Fetch) (Result, error) {
	if !c.remote.catchUp(ctx) {
		return c.alone(ctx, key, fetch)
	}
	now := c.options.Clock()
	e := c.memory.get(key)
	found := c.condition(e, now)
	if found < stale && c.remote.ready() {
		if shared, at := c.look(c.lasting(ctx), key), c.options.Clock(); c.condition(shared, at) > found {
			e, now, found = shared, at, c.condition(shared, at)
		}
	}
	switch found {
	case fresh:
		if e.Status == passStatus {
			return c.pass(ctx, fetch)
		}
		c.stats.hits.Add(1)
		return c.result(e, Hit, now), nil
	case stale:
		c.refresh(ctx, key, fetch)
		return c.result(e, Stale, now), nil
	case usable:
		return c.await(ctx, key, fetch, e)
	}
	return c.await(ctx, key, fetch, nil)
}

// look looks in Redis, once for all who ask for key at the time. Nobody leaves
// before it is done, since a call to Redis ends soon whatever happens.
func (c *Cache) look(ctx context.Context, key string) *Entry {
	flight, mine := c.lookups.join(key)
	if !mine {
		<-flight.done
		return flight.got
	}
	c.lookups.fly(key, flight, func() (*Entry, error) {
		e := c.remote.get(ctx, key)
		// A fetch may have ended meanwhile, with something newer.
		if c.condition(e, c.options.Clock()) > c.condition(c.memory.get(key), c.options.Clock()) {
			c.memory.set(key, e)
		}
		return e, nil
	})
	return flight.got
}

// condition is what may be done with an entry.
type condition int

const (
	useless condition = iota
	usable            // if it cannot be made anew
	stale             // while it is made anew
	fresh
)

func (c *Cache) condition(e *Entry, now time.Time) condition {
	if e == nil {
		return useless
	}
	age, life := e.age(now), e.Life
	verdict := c.log.judge(e)
	certain := true
	if verdict == inDoubt || verdict == softPurged {
		limit, in := c.log.until(e)
		certain = !in || verdict == inDoubt && now.Before(limit)
	}
	switch {
	case verdict == purged || age >= life.total():
		return useless
	case verdict != softPurged && certain && age < life.Fresh:
		return fresh
	case !certain:
		return usable
	case age < life.Fresh+life.Revalidate:
		return stale
	}
	return usable
}

// left is how long e is still fresh.
func (c *Cache) left(e *Entry, now time.Time) time.Duration {
	left := e.Life.Fresh - e.age(now)
	if limit, in := c.log.until(e); in {
		left = min(left, limit.Sub(now))
	}
	return left
}

func (c *Cache) result(e *Entry, how How, now time.Time) Result {
	age := e.age(now)
	r := Result{Entry: e, How: how, Age: age, TTL: c.left(e, now)}
	if how == Stale {
		c.stats.stale.Add(1)
		r.TTL = min(r.TTL, 0) // a soft purge makes stale what is young
	}
	return r
}

// await waits for the fetch of key that is under way or begins now. fallback is
// what is given if it fails or is slow; nil for nothing.
func (c *Cache) await(ctx context.Context, key string, fetch Fetch, fallback *Entry) (Result, error) {
	c.stats.misses.Add(1)
	var slow <-chan time.Time
	if fallback != nil {
		timer := time.NewTimer(c.options.Slow)
		defer timer.Stop()
		slow = timer.C
	}
	arrived := c.log.Position()
	for flight, mine := c.fetches.join(key); ; flight, mine = c.fetches.joinNext(key, flight) {
		caller := c.options.Caller(ctx)
		if mine {
			flight.company.of = caller
			c.fly(ctx, key, flight, fetch, fallback)
		} else {
			flight.company.join(caller)
		}
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		select {
		case <-ctx.Done():
			return Result{}, ctx.Err()
		case <-slow:
			return c.lastResort(fallback, errSlow)
		case <-flight.done:
		}
		got := flight.got
		switch {
		case errors.Is(flight.err, ErrCaller) && flight.company.of != caller:
			continue // it was refused to another one
		case flight.err != nil:
			return c.lastResort(fallback, flight.err)
		case got.pass || !mine && !got.share:
			return c.pass(ctx, fetch)
		case mine:
			return got.result, nil
		case c.holds(got.result.Entry, arrived):
			c.stats.collapsed.Add(1)
			got.result.Collapsed = true
			return got.result, nil
		}
		// A write overtook the flight before the caller arrived.
	}
}

// holds reports whether an answer is none from before a purge that came before the log
// stood at arrived: then a request that arrived there may have it, even if it was purged
// since.
func (c *Cache) holds(e *Entry, arrived Position) bool {
	return e.Position >= arrived || c.log.judge(e) <= inDoubt
}

// fly has the flight of key flown. Who may have to go on before it lands, for a
// deadline or for what is stale, has that done on another goroutine. Whoever can
// only be cancelled does it: then nobody is there any more to be answered late.
func (c *Cache) fly(ctx context.Context, key string, to *flight[filled], fetch Fetch, fallback *Entry) {
	fly := func() {
		c.fetches.fly(key, to, func() (filled, error) {
			return c.fill(context.WithValue(c.lasting(ctx), companyKey{}, &to.company), key, fetch, fallback)
		})
	}
	if _, timed := ctx.Deadline(); timed || fallback != nil {
		c.background(fly)
		return
	}
	c.running.begin()
	defer c.running.end()
	fly()
}

// Fresh gives what is in memory under key, if that is fresh and suits. It does not
// count it: whoever gives it to a client calls Hit.
func (c *Cache) Fresh(key string, suits func(*Entry) bool) (Result, bool) {
	now := c.options.Clock()
	if !c.remote.current(now) {
		return Result{}, false // Serve looks at the log first
	}
	e := c.memory.get(key)
	if c.condition(e, now) != fresh || e.Status == passStatus || !suits(e) {
		return Result{}, false
	}
	return c.result(e, Hit, now), true
}

// Hit counts a result of Fresh that was given.
func (c *Cache) Hit() { c.stats.hits.Add(1) }

// Renew fetches key though there may be something to give, and keeps the answer.
func (c *Cache) Renew(ctx context.Context, key string, fetch Fetch) (Result, error) {
	flight := &flight[filled]{done: make(chan struct{})}
	c.background(func() {
		defer close(flight.done)
		flight.got, flight.err = c.fetch(c.lasting(ctx), key, fetch, nil)
	})
	select {
	case <-ctx.Done():
		return Result{}, ctx.Err()
	case <-flight.done:
		r := flight.got.result
		r.How = Renewed
		return r, flight.err
	}
}

// lastResort gives what is stale in place of an error.
func (c *Cache) lastResort(fallback *Entry, cause error) (Result, error) {
	now := c.options.Clock()
	if c.condition(fallback, now) == useless {
		return Result{}, cause
	}
	r := c.result(fallback, Stale, now)
	r.Err = cause
	return r, nil
}

// alone fetches for one request while what others do cannot be known.
func (c *Cache) alone(ctx context.Context, key string, fetch Fetch) (Result, error) {
	r, err := c.pass(ctx, fetch)
	if err != nil {
		return c.lastResort(c.memory.get(key), err)
	}
	return r, nil
}

// pass fetches for one request alone.
func (c *Cache) pass(ctx context.Context, fetch Fetch) (Result, error) {
	c.stats.passes.Add(1)
	got, err := fetch(ctx)
	if err != nil {
		return Result{}, err
	}
	return Result{Entry: got.Entry, How: Miss}, nil
}

// Purge ends what shows any of the tags, here before it returns, and in every
// copy by way of the log.
func (c *Cache) Purge(ctx context.Context, p Purge) { c.purge(ctx, record{Purge: p}) }

func (c *Cache) purge(ctx context.Context, r record) {
	c.stats.purges.Add(1)
	if c.remote.redis == nil {
		c.recent.add(c.next(r), r.Purge, true, c.options.Clock())
		return
	}
	c.remote.purge(ctx, r)
}
