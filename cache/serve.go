package cache

import (
	"context"
	"errors"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Serve returns the response stored under key, or fetches it. current is the result of [Cache.ReadLog]
// for the request. It waits for no longer than the deadline of ctx; the fetch, which others may
// wait for, goes on. If ctx has no deadline, the fetch may run in this call, which then returns
// when that is done, even if ctx was cancelled meanwhile.
func (c *Cache) Serve(ctx context.Context, current bool, key string, fetch Fetch) (Result, error) {
	e := c.memory.get(key)
	if c.trusts(current) {
		return c.answer(ctx, key, e, fetch)
	}
	return c.await(ctx, &wait{key: key, fetch: fetch, reason: Reason{Known: e.served()}, fallback: e, shared: &c.direct, early: true})
}

// trusts reports whether a request may be served from memory. Without a log read the purges of other instances
// are not known. That does not count against memory once Redis is down, unless the options say so: no
// instance can tell the others then.
func (c *Cache) trusts(current bool) bool {
	return current || !c.options.FetchWithoutRedis && !c.options.Shared.Up()
}

// answer answers with e, or with a fetch.
func (c *Cache) answer(ctx context.Context, key string, e *Entry, fetch Fetch) (Result, error) {
	now := c.options.Clock()
	var fallback *Entry
	switch c.log.condition(e, now) {
	case fresh:
		if e.Status == hitForMiss {
			return c.pass(ctx, fetch)
		}
		return c.log.result(e, Hit, now), nil
	case stale:
		c.refresh(ctx, key, fetch)
		return c.log.result(e, Stale, now), nil
	case usable:
		fallback = e
	}
	// A hit allocates no wait.
	return c.await(ctx, &wait{key: key, fetch: fetch, reason: Reason{Known: e.served()}, fallback: fallback, shared: &c.fetches})
}

// Fresh returns the entry in memory under key, if it is fresh. current is the result of
// [Cache.ReadLog] for the request.
func (c *Cache) Fresh(current bool, key string) (Result, bool) {
	if !c.trusts(current) {
		return Result{}, false
	}
	e := c.memory.get(key)
	now := c.options.Clock()
	if c.log.condition(e, now) != fresh || e.Status == hitForMiss {
		return Result{}, false
	}
	return c.log.result(e, Hit, now), true
}

// Prepare attaches a value to e, the entry of key, instead of the one before: something that
// the caller derived from the entry, and would derive again at the next hit. It takes size
// bytes, counts in the weight of the entry, and is evicted with it.
func (c *Cache) Prepare(key string, e *Entry, value any, size int) {
	e.prepared.Store(&prepared{value: value, size: size})
	c.memory.reweigh(key, e)
}

// errSlow is the cause of a stale response that is served because the fetch takes longer
// than [Options.Slow].
var errSlow = errors.New("the fetch is slow")

// wait is a caller that waits for a fetch.
type wait struct {
	key      string
	fetch    Fetch
	reason   Reason // of the fetch
	shared   *sharedFetches
	fallback *Entry              // served if the fetch fails, or is slow and not direct; nil: the caller has no fallback
	caller   any                 // see [Options.Caller]
	arrived  redisstore.Position // of the log
	slow     <-chan time.Time    // receives when the fetch is slow; nil: it waits for the fetch, however slow
	early    bool                // a fetch in progress may have begun before the caller arrived, and does not suit
}

// await serves a caller from the fetch of its key that is in progress or begins now. A fetch in progress
// may not suit; the caller then shares the next one with all callers in the same position.
func (c *Cache) await(ctx context.Context, w *wait) (Result, error) {
	if w.fallback != nil && w.shared != &c.direct {
		timer := time.NewTimer(c.options.Slow)
		defer timer.Stop()
		w.slow = timer.C
	}
	w.arrived = c.log.Position()
	shared, mine, err := c.share(ctx, w, nil)
	for err == nil && !mine && !c.suits(w, shared) {
		w.early = false
		shared, mine, err = c.share(ctx, w, shared)
	}
	switch {
	case errors.Is(err, errSlow):
		return c.lastResort(w.fallback, errSlow)
	case err != nil:
		return Result{}, err
	}
	return c.outcome(ctx, w, shared, mine)
}

// share joins the shared fetch after the one that did not suit, or makes it, and waits for its end. The
// error is errSlow, or the error of ctx.
func (c *Cache) share(ctx context.Context, w *wait, unsuitable *sharedFetch) (target *sharedFetch, mine bool, err error) {
	target, mine = w.shared.join(w.key, unsuitable)
	w.caller = c.options.Caller(ctx)
	if mine {
		target.caller = w.caller
		c.run(ctx, w, target)
	}
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	return target, mine, c.untilDone(ctx, w, target)
}

// untilDone waits for the end of a shared fetch.
func (c *Cache) untilDone(ctx context.Context, w *wait, target *sharedFetch) error {
	select {
	case <-target.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-w.slow:
		w.slow = nil
		if c.log.condition(w.fallback, c.options.Clock()) == useless { // it was purged meanwhile
			return c.untilDone(ctx, w, target)
		}
		return errSlow
	}
}

// suits reports whether a fetch that another caller made may serve w, or fail it.
func (c *Cache) suits(w *wait, shared *sharedFetch) bool {
	outcome := shared.outcome
	switch {
	case shared.err != nil:
		return !outcome.refused || shared.caller == w.caller
	case w.early:
		return false
	case outcome.entry != nil, !outcome.share:
		return true
	}
	return c.holds(outcome.result.Entry, w.arrived)
}

// outcome returns the response that a shared fetch has for w.
func (c *Cache) outcome(ctx context.Context, w *wait, shared *sharedFetch, mine bool) (Result, error) {
	result := shared.outcome
	switch {
	case shared.err != nil && w.fallback == nil:
		return c.lastResort(result.entry, shared.err)
	case shared.err != nil:
		return c.lastResort(w.fallback, shared.err)
	case result.entry != nil:
		return c.answer(ctx, w.key, result.entry, w.fetch)
	case !mine && !result.share:
		return c.pass(ctx, w.fetch)
	}
	result.result.Collapsed = !mine
	return result.result, nil
}

// pass fetches for one request alone.
func (c *Cache) pass(ctx context.Context, fetch Fetch) (Result, error) {
	fetched, err := fetch(ctx, Reason{})
	if err != nil {
		return Result{}, err
	}
	return Result{Entry: fetched.Entry, How: Miss, Fleeting: fetched.Store}, nil
}

// holds reports whether a request that arrived when the log was at arrived may be served e:
// no purge from before that moment came after e was fetched. Later purges do not count.
func (c *Cache) holds(e *Entry, arrived redisstore.Position) bool {
	verdict, _ := c.log.judge(e)
	return e.Position >= arrived || verdict <= writePending
}

// run makes a shared fetch: on another goroutine if the caller may have to return before its end, for a
// deadline or for a fallback. A caller that can only be cancelled makes it itself: its client is gone
// then, and waits for no response.
func (c *Cache) run(ctx context.Context, w *wait, target *sharedFetch) {
	fetch := func() {
		defer w.shared.end(w.key, target)
		life := c.lasting(ctx)
		if w.shared == &c.direct {
			target.outcome, target.err = c.fetch(life, w.key, w.fetch, w.reason, redisstore.Found{})
			target.outcome.result.Fleeting = target.outcome.result.Fleeting || target.outcome.result.Stored // this cache does not know the purges
			return
		}
		target.outcome, target.err = c.fill(life, w)
	}
	if _, ok := ctx.Deadline(); ok || w.fallback != nil {
		c.background(fetch)
		return
	}
	fetch()
}

// fill fetches the key of w, unless another fetch has just stored it. It runs once for all callers that
// wait; ctx ends with the cache.
func (c *Cache) fill(ctx context.Context, w *wait) (filled, error) {
	// A caller that missed in memory just before the last fetch ended begins another.
	e := c.memory.get(w.key)
	if c.log.condition(e, c.options.Clock()) == fresh {
		return filled{entry: e}, nil
	}
	outcome, err := c.fetchOnce(ctx, w.key, stale, w.fetch, w.reason)
	if err == nil && w.fallback != nil && outcome.result.How == Miss {
		outcome.result.How = Expired
	}
	return outcome, err
}

// lastResort serves a stale entry instead of an error.
func (c *Cache) lastResort(fallback *Entry, cause error) (Result, error) {
	now := c.options.Clock()
	if c.log.condition(fallback, now) == useless {
		return Result{}, cause
	}
	r := c.log.result(fallback, Stale, now)
	r.Err = cause
	return r, nil
}
