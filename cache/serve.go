package cache

import (
	"context"
	"errors"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Serve returns the response stored under key, or fetches it. known is the result of [Cache.Look]
// for the request. It waits for no longer than the deadline of ctx; the fetch, which others may
// wait for, goes on. If ctx has no deadline, the fetch may run in this call, which then returns
// when that is done, even if ctx was cancelled meanwhile.
func (c *Cache) Serve(ctx context.Context, known bool, key string, fetch Fetch) (Result, error) {
	e := c.memory.get(key)
	if c.trusts(known) {
		return c.answer(ctx, key, e, fetch)
	}
	return c.await(ctx, key, fetch.ofKnown(e), e, &c.direct)
}

// trusts reports whether a request may be served from memory. Without a look the purges of other instances
// are not known. That does not count against memory once Redis is down, unless the options say so: no
// instance can tell the others then.
func (c *Cache) trusts(known bool) bool {
	return known || !c.options.FetchWithoutRedis && !c.options.Shared.Up()
}

// answer answers with e, or with a fetch.
func (c *Cache) answer(ctx context.Context, key string, e *Entry, fetch Fetch) (Result, error) {
	now := c.options.Clock()
	switch c.condition(e, now) {
	case fresh:
		if e.Status == hitForMiss {
			return c.pass(ctx, fetch)
		}
		return c.result(e, Hit, now), nil
	case stale:
		c.refresh(ctx, key, fetch)
		return c.result(e, Stale, now), nil
	case usable:
		return c.await(ctx, key, fetch.ofKnown(e), e, &c.fetches)
	}
	return c.await(ctx, key, fetch.ofKnown(e), nil, &c.fetches)
}

// Fresh returns the entry in memory under key, if it is fresh. known is the result of
// [Cache.Look] for the request.
func (c *Cache) Fresh(known bool, key string) (Result, bool) {
	if !c.trusts(known) {
		return Result{}, false
	}
	e, now := c.memory.get(key), c.options.Clock()
	if c.condition(e, now) != fresh || e.Status == hitForMiss {
		return Result{}, false
	}
	return c.result(e, Hit, now), true
}

// Prepare attaches a value to e, the entry of key, instead of the one before: something that
// the caller derived from the entry, and would derive again at the next hit. It takes size
// bytes, counts in the weight of the entry, and is evicted with it.
func (c *Cache) Prepare(key string, e *Entry, what any, size int) {
	e.prepared.Store(&prepared{what, size})
	c.memory.reweigh(key, e)
}

// errSlow is the cause of a stale response that is served because the fetch takes longer
// than [Options.Slow].
var errSlow = errors.New("the fetch is slow")

// await waits for the fetch of key that is in progress or begins now; among direct flights for one that
// begins after the call. fallback is served if the fetch fails, or is slow and not direct; nil is no fallback.
func (c *Cache) await(ctx context.Context, key string, fetch Fetch, fallback *Entry, flights *flights) (Result, error) {
	var slow <-chan time.Time
	if fallback != nil && flights != &c.direct {
		timer := time.NewTimer(c.options.Slow)
		defer timer.Stop()
		slow = timer.C
	}
	arrived := c.log.Position()
	var landed *flight
	for {
		flight, mine := flights.join(key, landed)
		first := landed == nil
		landed = flight
		caller := c.options.Caller(ctx)
		if mine {
			flight.caller = caller
			c.fly(ctx, key, flight, fetch, fallback, flights)
		} else {
			flight.joinedBy(caller)
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
		case errors.Is(flight.err, ErrCaller) && flight.caller != caller:
			continue // refused to another caller
		case flight.err != nil:
			if fallback == nil {
				fallback = got.found
			}
			return c.lastResort(fallback, flight.err)
		case flights == &c.direct && first && !mine:
			continue // it may have begun before the caller arrived
		case got.found != nil:
			return c.answer(ctx, key, got.found, fetch)
		case !mine && !got.share:
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
func (c *Cache) fly(ctx context.Context, key string, to *flight, fetch Fetch, fallback *Entry, flights *flights) {
	fly := func() {
		defer flights.land(key, to)
		life := context.WithValue(c.lasting(ctx), waitersKey{}, to.others)
		if flights == &c.direct {
			to.got, to.err = c.fetch(life, key, fetch, redisstore.Found{})
			to.got.result.Fleeting = to.got.result.Fleeting || to.got.result.Stored // this cache does not know the purges
			return
		}
		to.got, to.err = c.fill(life, key, fetch, fallback)
	}
	if _, timed := ctx.Deadline(); timed || fallback != nil {
		c.background(fly)
		return
	}
	fly()
}

// lastResort serves a stale entry instead of an error.
func (c *Cache) lastResort(fallback *Entry, cause error) (Result, error) {
	now := c.options.Clock()
	if c.condition(fallback, now) == useless {
		return Result{}, cause
	}
	r := c.result(fallback, Stale, now)
	r.Err = cause
	return r, nil
}

// condition says what an entry may be used for.
type condition int

const (
	useless condition = iota
	usable            // served if the fetch fails
	stale             // served while it is revalidated
	fresh
)

func (c *Cache) condition(e *Entry, now time.Time) condition {
	if e == nil {
		return useless
	}
	age, life := e.age(now), e.Life
	verdict, until := c.log.judge(e)
	certain := until.IsZero() || verdict == inDoubt && now.Before(until)
	switch {
	case verdict == purged || age >= life.total():
		return useless
	case verdict != softPurged && certain && age < life.Fresh:
		return fresh
	case !certain:
		return usable
	case age < life.Fresh+life.StaleWhileRevalidate:
		return stale
	}
	return usable
}

func (c *Cache) result(e *Entry, how How, now time.Time) Result {
	age := e.age(now)
	_, until := c.log.judge(e)
	r := Result{Entry: e, How: how, Age: age, TTL: e.Life.Fresh - age, Fleeting: !until.IsZero()} // a tag of it is in doubt
	if r.Fleeting {
		r.TTL = min(r.TTL, until.Sub(now))
	}
	if how == Stale {
		r.TTL = min(r.TTL, 0) // a soft purge makes young entries stale
		r.Fleeting = r.Fleeting || age < e.Life.Fresh
	}
	return r
}

// Fetch fetches a response from the source. Its context ends with a request only if no other
// request waits for the response.
type Fetch func(ctx context.Context) (Fetched, error)

// Fetched is the result of a fetch.
type Fetched struct {
	Entry *Entry
	Store bool // it may be stored, for Entry.Life
	Share bool // requests that waited may be served it; implied by Store
}

// How is how a request was served.
type How string

// The values are the terms of RFC 9211 (Cache-Status) where it has them.
const (
	Hit     How = "hit"      // fresh
	Stale   How = "stale"    // while it is fetched again, or because that failed
	Miss    How = "uri-miss" // fetched
	Expired How = "expired"  // fetched, because the stored response is too old (fwd=stale)
)

// Result is a response, with how it was served.
type Result struct {
	Entry     *Entry
	How       How
	Age       time.Duration // since its fetch began
	TTL       time.Duration // how long it is still fresh; negative for a stale one
	Stored    bool          // fetched, and stored
	Collapsed bool          // fetched by another request
	Err       error         // why a stale response is served; nil during stale-while-revalidate

	// Fleeting reports that no other cache may serve the response again: a tag is in doubt or
	// was purged softly, a purge overtook the fetch, or this cache does not know the purges.
	Fleeting bool
}

// filled is the result of a flight.
type filled struct {
	result Result
	share  bool   // with the callers that waited
	found  *Entry // stored meanwhile, instead of a result, or beside an error: every caller judges it; nil: nothing was found
}
