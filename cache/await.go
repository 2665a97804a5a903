package cache

import (
	"context"
	"errors"
	"github.com/calfacade/calfacade/cache/redisstore"
	"time"
)

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
func (c *Cache) holds(e *Entry, arrived redisstore.Position) bool {
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
