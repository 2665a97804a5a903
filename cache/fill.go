package cache

import (
	"context"
)

// fill fetches key, unless another flight has just done so. It runs once for all callers that
// wait; ctx is that of the cache.
func (c *Cache) fill(ctx context.Context, key string, fetch Fetch, fallback *Entry) (filled, error) {
	// A caller that looked just before the last flight ended begins another.
	if e, now := c.memory.get(key), c.options.Clock(); c.condition(e, now) == fresh {
		if e.Status == hitForMiss {
			return filled{pass: true}, nil
		}
		return filled{result: c.result(e, Hit, now), share: true}, nil
	}
	got, err := c.fetchOnce(ctx, key, fetch)
	if err == nil && fallback != nil && got.result.How == Miss {
		got.result.How = Expired
	}
	return got, err
}

// refresh fetches key in the background, unless a refresh of it is in progress or there is no
// slot. Then the next request tries again.
func (c *Cache) refresh(ctx context.Context, key string, fetch Fetch) {
	if _, running := c.refreshed.LoadOrStore(key, true); running {
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
		_, _ = c.fetchOnce(ctx, key, func(ctx context.Context) (Fetched, error) {
			return fetch(context.WithValue(ctx, refreshing{}, true))
		})
	})
}

// refreshing marks the context of a fetch that no client waits for.
type refreshing struct{}

// Refreshing reports whether ctx is that of a fetch in the background, while a stale entry is
// served.
func Refreshing(ctx context.Context) bool { return ctx.Value(refreshing{}) != nil }

// knownKey marks the context of a fetch whose key was served before.
type knownKey struct{}

// Known reports whether ctx is that of a fetch whose key was served before: an entry is still
// stored, which expired or was purged. Keys that requests guess have none.
func Known(ctx context.Context) bool { return ctx.Value(knownKey{}) != nil }

// ofKnown marks a fetch whose key has the entry e, if that shows that the key was served.
func (f Fetch) ofKnown(e *Entry) Fetch {
	if e == nil || e.Life.Negative || e.Status == hitForMiss {
		return f
	}
	return func(ctx context.Context) (Fetched, error) { return f(context.WithValue(ctx, knownKey{}, true)) }
}

// maxWaits bounds how many holders of a lease a fetch waits for. Purges that keep coming may
// have one instance after the other take over the lease.
const maxWaits = 3

// fetchOnce fetches key, or waits for the process that is fetching it.
func (c *Cache) fetchOnce(life context.Context, key string, fetch Fetch) (filled, error) {
	for waits := 0; waits < maxWaits && c.remote.ready(); waits++ {
		lease, held, err := c.acquire(life, key)
		if err != nil {
			break // without Redis each process fetches once
		}
		if !held {
			failure, err := c.wait(life, key)
			if err != nil {
				break
			}
			if failure != "" {
				return filled{}, c.options.Failures.Error(failure)
			}
		}
		// The last holder of the lease may have stored the entry since the lookup.
		if got, ok := c.fetched(life, key); ok {
			c.release(lease, "")
			return got, nil
		}
		if held {
			return c.fetch(life, key, fetch, lease)
		}
	}
	return c.fetch(life, key, fetch, nil)
}

func (c *Cache) acquire(ctx context.Context, key string) (Lease, bool, error) {
	ctx, end := c.observe(ctx, CallLease)
	lease, held, err := c.remote.redis.Acquire(ctx, key, c.log.LastPurge(), c.options.Lease)
	end(err)
	if held {
		lease.Keep()
	}
	return lease, held, err
}

func (c *Cache) wait(ctx context.Context, key string) (failure string, err error) {
	ctx, end := c.observe(ctx, CallWait)
	failure, err = c.remote.redis.Wait(ctx, key)
	end(err)
	return failure, err
}

// fetched returns the entry that another process has just fetched, if there is one.
func (c *Cache) fetched(ctx context.Context, key string) (filled, bool) {
	e, now := c.remote.get(ctx, key), c.options.Clock()
	if c.condition(e, now) != fresh {
		return filled{}, false
	}
	c.memory.set(key, e)
	if e.Status == hitForMiss {
		return filled{pass: true}, true
	}
	r := c.result(e, Miss, now)
	r.Collapsed = true
	return filled{result: r, share: true}, true
}

// fetch fetches key and stores the response if that is allowed. The lease, if any, is
// released once the other processes can find it, or there is nothing to find.
func (c *Cache) fetch(ctx context.Context, key string, fetch Fetch, lease Lease) (filled, error) {
	c.stats.fetches.Add(1)
	began, position := c.options.Clock(), c.log.Position()
	made, failure := false, "" // not made: an error, or a panic
	defer func() {
		if !made {
			c.release(lease, failure)
		}
	}()
	got, err := fetch(ctx)
	if err != nil {
		failure = c.options.Failures.Code(err)
		return filled{}, err
	}
	made = true
	e := got.Entry
	e.Created, e.Position = began, position
	result := Result{Entry: e, How: Miss, Age: e.age(c.options.Clock())}
	result.TTL, result.Fleeting = c.left(e, began)
	if !got.Store {
		if !got.Share {
			e = &Entry{Status: hitForMiss, Created: began, Position: position, Life: Life{Fresh: c.options.Pass}}
			c.keep(ctx, key, e, lease)
		} else {
			c.release(lease, "")
		}
		return filled{result: result, share: got.Share}, nil
	}
	result.Stored = c.log.judge(e) <= inDoubt
	if result.Stored {
		c.keep(ctx, key, e, lease)
	} else {
		result.Fleeting = true // a purge overtook the fetch
		c.release(lease, "")
	}
	return filled{result: result, share: true}, nil
}

// keep stores e: in memory as it is, and compressed in the background, in Redis too.
func (c *Cache) keep(ctx context.Context, key string, e *Entry, lease Lease) {
	c.memory.set(key, e)
	compress := c.options.Compress != nil && len(e.Body) > 0
	if !compress && lease == nil && (c.remote.redis == nil || e.Life.Negative) {
		return
	}
	c.background(func() {
		defer c.releaseNow(lease, "")
		if compress {
			e = c.compress(key, e)
		}
		if later := c.memory.get(key); later == nil || !later.Created.After(e.Created) {
			c.remote.put(ctx, key, e)
		}
	})
}

func (c *Cache) release(lease Lease, failure string) {
	if lease != nil {
		c.background(func() { c.releaseNow(lease, failure) })
	}
}

func (c *Cache) releaseNow(lease Lease, failure string) {
	if lease != nil {
		lease.Release(c.ctx, failure)
	}
}
