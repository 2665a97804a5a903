package redisstore

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrDown says that Redis was not asked: it did not answer a moment ago,
// and a probe in the background has yet to see it answer.
var ErrDown = errors.New("cache: redis does not answer")

// Options say which Redis and how patient. It needs Redis 5 or later; from
// 6.2 on the clocks of copies do not matter (see [Redis.Now]), and from 7 on lost
// records of the log are counted exactly (see [Redis.Follow]).
//
// The keys must not be evicted apart from each other, and an ACL user needs
//
//	~calfacade:* &calfacade:* +@read +@write +@connection +@transaction
//	+@scripting +@pubsub +info +time +cluster|slots +cluster|shards
type Options struct {
	URLs      []string      // one: a server; several: a cluster's nodes; with ?master_name=: Sentinels
	Prefix    string        // of all keys; "" is "calfacade"
	Budget    time.Duration // that a call on the path of a request may take; 0 is 25 ms
	LogLength int64         // about how many purges the log keeps; 0 is 10,000
	PurgeWait time.Duration // after which a purge holds at every instance, or none that it does not hold at serves; 0 is 250 ms

	Skew func() time.Duration // is added to the time of Redis, where a test moves the clock; nil: nothing
}

// patience is what a call may take that no request waits for.
const patience = 500 * time.Millisecond

// Store is what all copies share: entries, the purge log and leases. It is safe
// for concurrent use, and no call ever waits for a Redis that is known to be down.
type Store struct {
	options Options
	id      string                       // of this instance, among those that follow the log
	dial    func() redis.UniversalClient // a new client that knows nothing of earlier failures

	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	client  atomic.Pointer[redis.UniversalClient] // replaced when Redis is back
	breaker *breaker
	lookups chan struct{} // a place for each call that a request waits for
	stores  chan struct{} // likewise for each entry that is put
	wake    waker
	acks    acks
	live    atomic.Int64           // how many follow the log, this one among them, as of the last check
	epoch   atomic.Pointer[string] // in which the follower last caught up; "" without one
	clock   atomic.Pointer[tick]   // of Redis, when it last caught up; nil before
	n       counters
}

// Open reads the options. It does not connect, so a Redis that is down is
// no error here either. Errors never contain a password.
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
	r.ctx, r.cancel = context.WithCancel(context.Background())
	c := dial()
	r.client.Store(&c)
	r.epoch.Store(new(string))
	r.breaker = newBreaker(r.ctx, r.revive)
	r.breaker.opened = r.wake.drop
	return r, nil
}

// PurgeWait is [RedisOptions.PurgeWait].
func (r *Store) PurgeWait() time.Duration { return r.options.PurgeWait }

// Close ends the connections and all that runs in the background. What is under
// way fails like a call on a dead Redis.
func (r *Store) Close() error {
	r.cancel()
	r.breaker.wait()
	r.wake.drop()
	if err := (*r.client.Load()).Close(); !errors.Is(err, redis.ErrClosed) {
		return err
	}
	return nil // the breaker did it
}

// try makes one call to Redis, unless it is known to be down, and judges what
// came of it. redis.Nil is an answer like any other.
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
	if ctx.Err() != nil {
		return ctx.Err() // the caller gave up, which says nothing about Redis
	}
	r.n.failed(err)
	switch {
	case !dead(err):
	case !timedOut(err):
		r.breaker.trip(generation)
	case !starved(time.Since(began), limit):
		r.breaker.late(generation, began)
	}
	return err
}

// starved reports whether a call that ran out of time did so in a process that
// gets too little of the processor: its own timer was late. That says nothing
// about Redis, and to go without it then, to calls that cost far more, would keep
// the process starved.
func starved(took, limit time.Duration) bool { return took > limit+limit/4 }

// revive is the breaker's probe. It starts from nothing: the pools of the client
// in use are full of what happened (go-redis refuses to dial for up to a second
// after failures, keeps the address of a master that is gone, and a cluster's
// old slots). When Redis answers, and in about the time that a call has, the new
// client is the one in use.
//
// The client in use is closed first: nobody is left waiting on it.
func (r *Store) revive(ctx context.Context) error {
	_ = (*r.client.Load()).Close() // but for the first time it is closed already
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

// ping asks every master of a cluster: with one of them gone a part of the
// lookups would each pay the budget.
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

// digest is what a key is known by in Redis: keys may be long and hold anything.
func digest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

func (r *Store) entryKey(key string) string { return r.options.Prefix + ":e1:" + digest(key) }

// The keys of a lease are in one slot of a cluster.
func (r *Store) leaseKey(key string) string   { return r.options.Prefix + ":l:{" + digest(key) + "}" }
func (r *Store) failureKey(key string) string { return r.leaseKey(key) + ":failure" }

func (r *Store) logKey() string { return r.options.Prefix + ":log" }

// silence stops go-redis from printing to stderr, once: what it says there comes
// back as errors too, and those are counted.
var silence = sync.OnceFunc(func() { redis.SetLogger(quiet{}) })

type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}
