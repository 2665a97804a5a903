// Package redisstore keeps in Redis what the instances of calfacade share: entries as
// bytes, leases, the purge log and the quotas of clients. It knows neither what an entry
// holds nor what a record of the log says. It alone imports go-redis.
//
// Start reading at [Store.Look] in look.go: it brings this process to the end of the log, and
// each request calls it before it is served. docs/architecture.md says why that is enough.
//
//	store.go   [Store]: its parts, one call and its timeout, keys and counters
//	look.go    a look that all waiting requests share, its budget, appending to the log, and the
//	           shared clock
//	health.go  when Redis counts as down
//	tail.go    reading the log to its end, and the proof that nothing was missed
//	line.go    the connection of looks
//	pace.go    how long this Redis takes to answer, and calls that outlive their callers
//	log.go     items of the log, positions, and who follows it
//	find.go    entries and leases: one instance fetches, the others wait
//	decide.go  decisions of all instances, which the log announces, and numbers that they add up
//	group.go   reading the log once for all instances, to pass it on
//	quota.go   quotas of clients
//	instances.go  who uses this Redis
//	stats.go   [Stats]
//	check.go   whether a Redis is set up as this package needs it
//	url.go     which Redis
//
// Nothing waits for a Redis that is known to be down, but looks: for a few milliseconds each.
package redisstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
	"golang.org/x/sync/semaphore"
)

// Options say which Redis, and how long to wait for it. Redis 6.2 or later, or Valkey,
// is required; from 7 on lost records of the log are counted exactly (see [tail]).
//
// Redis must not evict the log while it keeps entries. An ACL user needs
//
//	~calfacade:* +@read +@write +@connection +@transaction +@scripting
//	+info +time +cluster|slots +cluster|shards
type Options struct {
	URLs      []string      // one: a server; several: a cluster's nodes; with ?master_name=: Sentinels
	Prefix    string        // of all keys; "" is "calfacade"
	Timeout   time.Duration // of a look at the log; 0 is 250 ms
	Brief     time.Duration // of a call on an entry or a quota that a request waits for, unless this Redis takes longer; 0 is 25 ms
	LookEvery time.Duration // for which one look serves later requests too; 0: each request is served by a look of its own or a later one
	LogLength int64         // about how many records the log keeps; 0 is 10,000

	// Decided is called with the latest [Decisions], whose Version is 0 if there are none, by each check of the end
	// of the log, so that the request that looks knows them. nil: this instance does not act on decisions.
	Decided func(context.Context, Decisions)

	// Changed is called with the cause when Redis is found to be down, and with nil when it works
	// again. Calls alternate and do not overlap. nil does nothing.
	Changed func(cause error)

	Skew func() time.Duration // added to the time of Redis by tests that move the clock; nil adds nothing
	Dial dialFunc             // makes connections in tests that put a distance between; nil dials directly, with TLS if the URL says so
}

// Store keeps what all instances share: entries, leases, the purge log and quotas. It is safe for
// concurrent use.
type Store struct {
	*base
	looks      looks
	tail       *tail                     // of the look in progress
	last       atomic.Pointer[time.Time] // when the last look that succeeded began; nil: no look has
	recovering sync.WaitGroup
}

// base has the parts of a store that its calls, its looks and their connection share.
type base struct {
	options Options
	id      string          // of this instance
	dial    dialer          // a new client that knows nothing of earlier failures
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc

	client  atomic.Pointer[redis.UniversalClient] // of all calls but looks; replaced when Redis is back
	lookups *semaphore.Weighted                   // a slot for each call that a request waits for
	stores  *semaphore.Weighted                   // a slot for each entry that is being stored

	health health
	pace   pace                    // of Redis
	epoch  atomic.Pointer[string]  // of the log; "" before the first look
	clock  atomic.Pointer[reading] // of Redis; nil before the first look
	n      counters
}

// Open checks the options. It does not connect, so a Redis that is down is no error.
// Errors never contain a password.
func Open(o Options) (*Store, error) {
	o.Prefix, o.LogLength = cmp.Or(o.Prefix, "calfacade"), cmp.Or(o.LogLength, 10_000)
	o.Timeout, o.Brief = cmp.Or(o.Timeout, 250*time.Millisecond), cmp.Or(o.Brief, 25*time.Millisecond)
	if o.Changed == nil {
		o.Changed = func(error) {}
	}
	if o.Decided == nil {
		o.Decided = func(context.Context, Decisions) {}
	}
	if o.Skew == nil {
		o.Skew = func() time.Duration { return 0 }
	}
	dial, pool, err := parseURLs(o.URLs, o)
	if err != nil {
		return nil, err
	}
	silence()
	b := &base{
		options: o,
		id:      rand.Text(),
		dial:    dial,
		health:  health{changed: o.Changed},
		lookups: semaphore.NewWeighted(int64(pool+1) / 2),
		stores:  semaphore.NewWeighted(int64(pool+3) / 4),
	}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	c := dial(nil)
	b.client.Store(&c)
	b.epoch.Store(new(string))
	return &Store{base: b, tail: newTail(b)}, nil
}

// Follow sets the follower of the log, before the first look.
func (r *Store) Follow(f Follower) { r.tail.follower = f }

// nobody is the follower of a store that is only asked for decisions.
type nobody struct{}

func (nobody) Position() Position     { return 0 }
func (nobody) Flush(AppendFunc) error { return nil }
func (nobody) Apply(Position, []byte) {}
func (nobody) Distrust(Position)      {}
func (nobody) Reached(Position)       {}

// Close closes the connections and stops everything in the background. Calls in progress fail
// as if Redis were down.
func (r *Store) Close() error {
	r.cancel()
	r.recovering.Wait()
	r.tail.busy <- struct{}{} // a look in progress has failed
	r.tail.lines.drop()
	<-r.tail.busy
	if err := (*r.client.Load()).Close(); !errors.Is(err, redis.ErrClosed) {
		return err
	}
	return nil
}

// Up reports whether Redis works, as far as is known.
func (b *base) Up() bool { return !b.health.down.Load() }

// ask makes one call to Redis, unless it is down. redis.Nil is an answer like any other: the zero value
// without an error. doing names the call in errors.
func ask[T any](ctx context.Context, b *base, doing string, limit time.Duration,
	call func(context.Context, redis.UniversalClient) (T, error)) (answer T, err error) {
	var none T
	if !b.Up() {
		b.n.add(&b.n.Skipped, 1)
		return none, fmt.Errorf("redis: %s: %w", doing, ErrDown)
	}
	ctx, cancel := context.WithTimeout(ctx, max(limit, b.brief()))
	defer cancel()
	answer, err = patiently(ctx, b, func(ctx context.Context) (T, error) {
		began := time.Now()
		answer, err := call(ctx, *b.client.Load())
		if err == nil || errors.Is(err, redis.Nil) {
			b.pace.add(began)
		}
		return answer, err
	})
	switch {
	case errors.Is(err, redis.Nil):
		return none, nil
	case err != nil:
		b.n.failed(err)
		return answer, fmt.Errorf("redis: %s: %w", doing, err)
	}
	return answer, nil
}

// askWithSlot makes a call that a request waits for. Its time starts when it has a slot.
//
// A slot is late only when there are more requests than can be served. As long as Redis
// answers, waiting is right: giving up would send the request to the source, which costs
// many times as much, so that more requests time out, until all go there.
func askWithSlot[T any](ctx context.Context, b *base, slots *semaphore.Weighted, doing string, limit time.Duration,
	call func(context.Context, redis.UniversalClient) (T, error)) (answer T, err error) {
	if !slots.TryAcquire(1) {
		waiting, cancel := context.WithTimeoutCause(ctx, patience, errSaturated)
		defer cancel()
		if slots.Acquire(waiting, 1) != nil {
			return answer, fmt.Errorf("redis: %s: %w", doing, context.Cause(waiting))
		}
	}
	defer slots.Release(1)
	return ask(ctx, b, doing, limit, call)
}

// pause waits for d, or until ctx is done.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	return ctx.Err()
}

// patience is the timeout of a call that no request waits for. If [Options.Brief] is longer, that
// is its timeout too.
const patience = 500 * time.Millisecond

// connections is the default number of connections to a node. Half of them are for lookups,
// a quarter for storing, and the rest for purges and leases (see [askWithSlot]).
//
// Redis answers one call after the other, so that more calls at once only wait in Redis, or
// for the processor that they share with it: on one core, under 64 clients with 256 lists,
// 12 lookups at once never come near their timeout, and of 18 many do.
const connections = 24

// limits disables the retries of go-redis. With its defaults a dead Redis costs 1.7 s a
// call and a hung one 5 s.
//
// The timeouts here are only outer bounds; the deadline of each call's context applies. A
// dial does not end with the call that caused it: it goes on in the background and serves
// the next, so that a slow handshake is paid once.
func limits(o *redis.UniversalOptions, brief, timeout time.Duration) {
	o.ContextTimeoutEnabled = true
	o.MaxRetries = -1
	bound := max(patience, brief, timeout)
	o.ReadTimeout = bound
	o.WriteTimeout = bound
	o.DialTimeout = bound
	if o.MasterName != "" {
		o.DialTimeout = 2 * bound // it asks the Sentinel, which takes four round trips
	}
	o.DialerRetries = 1
	// Shorter than the timeout of a lookup: waiting for a connection is saturation here, and no sign of
	// a Redis that is down.
	o.PoolTimeout = brief / 2
	o.PoolSize = cmp.Or(o.PoolSize, connections)
	o.Protocol = 2          // nothing here needs the push messages of RESP3
	o.PipelinePoolSize = -1 // one pool is enough
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}

// silence stops go-redis from printing to stderr, once: it returns the same as errors,
// which are counted.
var silence = sync.OnceFunc(logging.Disable)

// ErrDown is returned by calls that were not made because Redis is known to be down.
var ErrDown = errors.New("redis: does not answer")

var (
	errSaturated = errors.New("redis: too many calls at once")        // a call got no slot in time
	errReplica   = errors.New("redis: the purge log is on a replica") // it lags behind, or was the master until now
	errReturning = errors.New("redis: answers again, and may lack purges of other instances")
	errPanicked  = errors.New("redis: the look at the log has panicked") // of the request that made it
)

func timedOut(err error) bool {
	var e net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &e) && e.Timeout()
}

// refused reports whether Redis answered with err, as it would again: it is full, a replica, or
// loads its data.
func refused(err error) bool {
	var answer redis.Error
	return errors.Is(err, errReplica) || errors.As(err, &answer) && !errors.Is(err, redis.Nil)
}

// digest is the name of a key in Redis: keys may be long and contain any bytes.
func digest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// The keys of an entry and of its lease are in one slot of a cluster.
func (b *base) entryKey(key string) string { return b.options.Prefix + ":e2:{" + digest(key) + "}" }
func (b *base) leaseKey(key string) string { return b.options.Prefix + ":l:{" + digest(key) + "}" }

func (b *base) logKey() string { return b.options.Prefix + ":log" }

// besideLog returns the key of something that is used together with the log, and so is in its slot: it has the whole
// key of the log as its hash tag.
func (b *base) besideLog(name string) string {
	return b.options.Prefix + ":" + name + ":{" + b.logKey() + "}"
}

func (b *base) quotaKey(key string) string { return b.options.Prefix + ":q:" + digest(key) }
