package redisstore

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
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

// Open checks the options. It does not connect, so a Redis that is down is no error.
// Errors never contain a password.
func Open(o Options) (*Store, error) {
	if o.Prefix == "" {
		o.Prefix = "calfacade"
	}
	if o.Budget <= 0 {
		o.Budget = 25 * time.Millisecond
	}
	if o.LogLength <= 0 {
		o.LogLength = 10_000
	}
	if o.PurgeWait <= 0 {
		o.PurgeWait = 250 * time.Millisecond
	}
	if o.Lease <= 0 {
		o.Lease = 10 * time.Second
	}
	o.Name = cleanName(o.Name)
	if o.Skew == nil {
		o.Skew = func() time.Duration { return 0 }
	}
	dial, pool, err := parseURLs(o.URLs, o.Budget/2)
	if err != nil {
		return nil, err
	}
	silence()
	r := &Store{
		options: o, id: rand.Text(), dial: dial,
		lookups: make(chan struct{}, (pool+1)/2), stores: make(chan struct{}, (pool+3)/4),
	}
	r.state.Wait = o.PurgeWait
	r.ctx, r.cancel = context.WithCancel(context.Background())
	c := dial()
	r.client.Store(&c)
	r.epoch.Store(new(string))
	r.breaker = newBreaker(r.ctx, r.revive)
	r.breaker.opened, r.breaker.changed = r.acknowledged.drop, o.Changed
	return r, nil
}

// PurgeWait is [Options.PurgeWait].
func (r *Store) PurgeWait() time.Duration { return r.options.PurgeWait }

// Close closes the connections and stops everything in the background. Calls in progress
// fail as if Redis were down.
func (r *Store) Close() error {
	r.leave()
	r.cancel()
	r.breaker.wait()
	r.acknowledged.drop()
	if err := (*r.client.Load()).Close(); !errors.Is(err, redis.ErrClosed) {
		return err
	}
	return nil // the breaker closed it
}

// try makes one call to Redis, unless the breaker is open, and reports its outcome to the
// breaker. redis.Nil is an answer like any other.
func (r *Store) try(ctx context.Context, limit time.Duration, call func(context.Context, redis.UniversalClient) error) error {
	generation, ok := r.breaker.allow()
	if !ok {
		r.n.skipped.Add(1)
		return ErrDown
	}
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

// revive is the breaker's probe. It uses a new client, because the one in use remembers
// the failure: go-redis refuses to dial for up to a second after failures, and keeps the
// address of a master that is gone and the old slots of a cluster. When Redis answers
// within about the budget of a call, the new client replaces the one in use.
//
// The client in use is closed first, so that no call is left waiting on it.
func (r *Store) revive(ctx context.Context) error {
	_ = (*r.client.Load()).Close() // closed already, except the first time
	c := r.dial()
	// The first round pays for dialing, TLS and finding the master.
	for _, limit := range []time.Duration{patience, 4 * r.options.Budget} {
		if err := ping(ctx, limit, c); err != nil {
			_ = c.Close() // nothing else holds it
			return err
		}
	}
	r.client.Store(&c)
	return nil
}

// ping pings every master of a cluster: with one of them down, a part of the lookups would
// each cost the whole budget.
func ping(ctx context.Context, limit time.Duration, c redis.UniversalClient) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if cluster, ok := c.(*redis.ClusterClient); ok {
		return cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
			return node.Ping(ctx).Err()
		})
	}
	return c.Ping(ctx).Err()
}

// digest is the name of a key in Redis: keys may be long and contain any bytes.
func digest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

func (r *Store) entryKey(key string) string { return r.options.Prefix + ":e1:" + digest(key) }

// The keys of a lease are in one slot of a cluster.
func (r *Store) leaseKey(key string) string   { return r.options.Prefix + ":l:{" + digest(key) + "}" }
func (r *Store) failureKey(key string) string { return r.leaseKey(key) + ":failure" }

func (r *Store) logKey() string { return r.options.Prefix + ":log" }
