package redisstore

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// Options say which Redis, and how long to wait for it. Redis 5 or later is required. From
// 6.2 on the clocks of the instances do not matter (see [Store.Now]); from 7 on lost
// records of the log are counted exactly (see [Store.Follow]).
//
// Redis must not evict the log while it keeps entries. An ACL user needs
//
//	~calfacade:* &calfacade:* +@read +@write +@connection +@transaction
//	+@scripting +@pubsub +info +time +cluster|slots +cluster|shards
type Options struct {
	URLs      []string      // one: a server; several: a cluster's nodes; with ?master_name=: Sentinels
	Prefix    string        // of all keys; "" is "calfacade"
	Budget    time.Duration // timeout of a call that a request waits for; 0 is 25 ms
	LogLength int64         // about how many records the log keeps; 0 is 10,000
	PurgeWait time.Duration // after it, no instance serves without having applied a purge; 0 is 250 ms

	// Decided is called with the [Decisions] when they are first read, with Version 0 if there are
	// none, and with each other version that is read, by the goroutine of Follow. If it fails,
	// the version is read again, and until then the end of the log counts as not known. nil: this
	// instance does not act on decisions.
	Decided func(context.Context, Decisions) error
	Name    string        // of this instance, for operators
	Lease   time.Duration // how long this instance may act on the decisions that it read last; 0 is 10 s

	// Changed is called with the cause when Redis stops answering, and with nil when it answers
	// again. Calls alternate and do not overlap. nil disables it.
	Changed func(cause error)

	Skew func() time.Duration // added to the time of Redis by tests that move the clock; nil adds nothing
}

// Store is what all instances share: entries, leases, the purge log and quotas. It is safe
// for concurrent use. No call waits for a Redis that is known to be down.
type Store struct {
	options Options
	id      string                       // of this instance, among those that follow the log
	dial    func() redis.UniversalClient // a new client that knows nothing of earlier failures

	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	client       atomic.Pointer[redis.UniversalClient] // replaced when Redis is back
	breaker      *breaker
	lookups      chan struct{} // a slot for each call that a request waits for
	stores       chan struct{} // a slot for each entry that is being stored
	acknowledged subscriber    // of the channel for acknowledgements of this instance's purges
	acks         acks
	live         atomic.Int64            // instances that followed the log at the last check, this one included
	state        LogState                // whether the end of the log is known
	epoch        atomic.Pointer[string]  // of the log when the follower last caught up; "" before
	clock        atomic.Pointer[reading] // of Redis, when it last caught up; nil before
	n            counters
}

// try makes one call to Redis, unless the breaker is open, and reports its outcome to the
// breaker. redis.Nil is an answer like any other.
func (r *Store) try(ctx context.Context, limit time.Duration, call func(context.Context, redis.UniversalClient) error) error {
	generation, ok := r.breaker.allow()
	if !ok {
		r.n.skipped.Add(1)
		return ErrDown
	}
	limit = max(limit, r.options.Budget)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	err := call(limited, *r.client.Load())
	if err == nil || errors.Is(err, redis.Nil) {
		r.breaker.answered()
		return err
	}
	if gone := ended(ctx); gone != nil {
		return gone // the caller gave up: no sign of a Redis that is down
	}
	r.n.failed(err)
	switch {
	case !dead(err):
	case !timedOut(err):
		r.breaker.trip(generation, err)
	case !starved(time.Since(began), limit):
		r.breaker.late(generation, began)
	}
	return err
}

// ended is ctx.Err, also while the deadline has passed and the timer of ctx has not fired:
// connections have the same deadline, and may time out first.
func ended(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// starved reports whether a call timed out in a process that gets too little of the
// processor: its own timer was late. That is no sign of a Redis that is down. To go without
// Redis then, to calls on the site that cost far more, would keep the process starved.
func starved(took, limit time.Duration) bool { return took > limit+limit/4 }

// Up reports whether Redis answers, as far as is known.
func (r *Store) Up() bool { return !r.breaker.isOpen() }
