package cache

import (
	"context"
	"errors"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// errSlow is the cause of a stale response that is served because the fetch takes longer
// than [Options.Slow].
var errSlow = errors.New("the fetch is slow")

// await waits for the fetch of key that is in progress or begins now. fallback is served if
// it fails or is slow; nil is no fallback.
func (c *Cache) await(ctx context.Context, key string, fetch Fetch, fallback *Entry) (Result, error) {
	var slow <-chan time.Time
	if fallback != nil {
		timer := time.NewTimer(c.options.Slow)
		defer timer.Stop()
		slow = timer.C
	}
	arrived := c.log.Position()
	for flight, mine := c.fetches.join(key, nil); ; flight, mine = c.fetches.join(key, flight) {
		caller := c.options.Caller(ctx)
		if mine {
			flight.waiters.of = caller
			c.fly(ctx, key, flight, fetch, fallback)
		} else {
			flight.waiters.join(caller)
		}
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		select {
		case <-slow:
			if c.condition(fallback, c.options.Clock()) != useless {
				return c.lastResort(fallback, errSlow)
			}
			slow = nil // it was purged meanwhile
		case <-ctx.Done():
		case <-flight.done:
		}
		select {
		case <-ctx.Done():
			return Result{}, ctx.Err()
		case <-flight.done:
		}
		got := flight.got
		switch {
		case errors.Is(flight.err, ErrCaller) && flight.waiters.of != caller:
			continue // refused to another caller
		case flight.err != nil:
			if fallback == nil {
				fallback = got.found
			}
			return c.lastResort(fallback, flight.err)
		case got.found != nil:
			return c.answer(ctx, key, got.found, fetch)
		case got.pass || !mine && !got.share:
			return c.pass(ctx, fetch)
		case mine:
			return got.result, nil
		case c.holds(got.result.Entry, arrived):
			got.result.Collapsed = true
			return got.result, nil
		}
		// A purge that came before the caller overtook the flight.
	}
}

// pass fetches for one request alone.
func (c *Cache) pass(ctx context.Context, fetch Fetch) (Result, error) {
	got, err := fetch(ctx)
	if err != nil {
		return Result{}, err
	}
	return Result{Entry: got.Entry, How: Miss, Fleeting: got.Store}, nil
}

// holds reports whether a request that arrived when the log was at arrived may be served e:
// no purge from before that moment came after e was fetched. Later purges do not count.
func (c *Cache) holds(e *Entry, arrived redisstore.Position) bool {
	verdict, _ := c.log.judge(e)
	return e.Position >= arrived || verdict <= inDoubt
}

// fly makes the flight of key: on another goroutine if the caller may have to return before
// it lands, for a deadline or for a fallback. A caller that can only be cancelled makes it
// itself: its client is gone then, and waits for no response.
func (c *Cache) fly(ctx context.Context, key string, to *flight, fetch Fetch, fallback *Entry) {
	fly := func() {
		c.fetches.fly(key, to, func() (filled, error) {
			return c.fill(context.WithValue(c.lasting(ctx), waitersKey{}, &to.waiters), key, fetch, fallback)
		})
	}
	if _, timed := ctx.Deadline(); timed || fallback != nil {
		c.background(fly)
		return
	}
	fly()
}

// lastResort serves a stale entry in place of an error.
func (c *Cache) lastResort(fallback *Entry, cause error) (Result, error) {
	now := c.options.Clock()
	if c.condition(fallback, now) == useless {
		return Result{}, cause
	}
	r := c.result(fallback, Stale, now)
	r.Err = cause
	return r, nil
}
