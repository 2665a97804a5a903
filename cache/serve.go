package cache

import "context"

// Serve returns the response stored under key, or fetches it. known is what [Cache.Look] returned
// for the request. It waits for no longer than the deadline of ctx; the fetch, which others may
// wait for, goes on. If ctx has no deadline, the fetch may run in this call, which then returns
// when that is done, even if ctx was cancelled meanwhile.
func (c *Cache) Serve(ctx context.Context, known bool, key string, fetch Fetch) (Result, error) {
	if !known && c.options.FetchWithoutRedis {
		return c.alone(ctx, key, fetch)
	}
	return c.answer(ctx, key, c.memory.get(key), fetch)
}

// answer answers with e, or with a fetch.
func (c *Cache) answer(ctx context.Context, key string, e *Entry, fetch Fetch) (Result, error) {
	now := c.options.Clock()
	switch c.condition(e, now) {
	case fresh:
		if e.Status == hitForMiss {
			return c.pass(ctx, fetch)
		}
		c.stats.hits.Add(1)
		return c.result(e, Hit, now), nil
	case stale:
		c.refresh(ctx, key, fetch)
		return c.result(e, Stale, now), nil
	case usable:
		return c.await(ctx, key, fetch.ofKnown(e), e)
	}
	return c.await(ctx, key, fetch.ofKnown(e), nil)
}

// Fresh returns the entry in memory under key, if it is fresh and suits. known is what
// [Cache.Look] returned for the request. It does not count a hit: the caller calls Hit once it
// serves the entry.
func (c *Cache) Fresh(known bool, key string, suits func(*Entry) bool) (Result, bool) {
	if !known && c.options.FetchWithoutRedis {
		return Result{}, false
	}
	e, now := c.memory.get(key), c.options.Clock()
	if c.condition(e, now) != fresh || e.Status == hitForMiss || !suits(e) {
		return Result{}, false
	}
	return c.result(e, Hit, now), true
}

// Hit counts a result of Fresh that was served.
func (c *Cache) Hit() { c.stats.hits.Add(1) }

// Prepare attaches a value to e, the entry of key, in place of the one before: something that
// the caller derived from the entry, and would derive again at the next hit. It takes size
// bytes, counts in the weight of the entry, and is evicted with it.
func (c *Cache) Prepare(key string, e *Entry, what any, size int) {
	e.prepared.Store(&prepared{what, size})
	c.memory.replace(key, e, e)
}

// Renew fetches key even if an entry is stored, and stores the response.
func (c *Cache) Renew(ctx context.Context, _ bool, key string, fetch Fetch) (Result, error) {
	flight := &flight{done: make(chan struct{})}
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

// alone fetches for one request while the purges of other instances cannot be known.
func (c *Cache) alone(ctx context.Context, key string, fetch Fetch) (Result, error) {
	r, err := c.pass(ctx, fetch)
	if err != nil {
		return c.lastResort(c.memory.get(key), err)
	}
	return r, nil
}
