package redisstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/semaphore"
)

// base has the parts of a store that its calls, its log reads and their connection share.
type base struct {
	options Options
	id      string          // of this instance
	logKey  string          // of the purge log in Redis
	dial    dialer          // a new client that knows nothing of earlier failures
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc

	client  atomic.Pointer[redis.UniversalClient] // of all calls but log reads; replaced when Redis is back
	lookups *semaphore.Weighted                   // a slot for each call that a request waits for
	stores  *semaphore.Weighted                   // a slot for each entry that is being stored

	health health
	pace   pace                    // of Redis
	epoch  atomic.Pointer[string]  // of the log; "" before the first log read
	clock  atomic.Pointer[reading] // of Redis; nil before the first log read
	n      counters
}

// Up reports whether Redis works, as far as is known.
func (b *base) Up() bool { return !b.health.down.Load() }

// Stats returns the counters.
func (b *base) Stats() Stats {
	b.n.mu.Lock()
	defer b.n.mu.Unlock()
	s := b.n.Stats
	s.Up = b.Up()
	return s
}

// reading is the clock of Redis at one moment.
type reading struct {
	local time.Time // of this process, after the answer
	redis time.Time
}

// Now returns the time that all instances share: the clock of the node that has the purge log.
// It is zero before the first log read. Entries carry it, so that their age does not depend on the
// clocks of instances.
func (b *base) Now() time.Time {
	clock := b.clock.Load()
	if clock == nil {
		return time.Time{}
	}
	return clock.redis.Add(time.Since(clock.local) + b.options.Skew())
}

// since returns the time since t by whichever clock says more: the monotonic one may stand still
// while the machine is suspended, and the other one may be set.
func since(t time.Time) time.Duration {
	now := time.Now()
	return max(now.Sub(t), now.Round(0).Sub(t.Round(0)).Abs())
}

// ask makes one call to Redis, unless it is down. redis.Nil is an answer like any other: the zero value
// without an error. doing names the call in errors.
func ask[T any](ctx context.Context, b *base, doing string, limit time.Duration,
	call func(context.Context, redis.UniversalClient) (T, error)) (answer T, err error) {
	var zero T
	if !b.Up() {
		b.n.add(&b.n.Skipped, 1)
		return zero, fmt.Errorf("redis: %s: %w", doing, ErrDown)
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
		return zero, nil
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

// brief returns how long a request waits for an entry or a quota: as this Redis takes, at least [Options.Brief], and
// at most [Options.Timeout] if that is longer.
func (b *base) brief() time.Duration {
	return max(b.options.Brief, min(b.pace.connect(), b.options.Timeout))
}

// patiently makes a call whose caller waits until ctx is done. At a Redis that is far away the call then goes on: to
// cancel it closes its connection, and a new one takes three round trips.
func patiently[T any](ctx context.Context, b *base, call func(context.Context) (T, error)) (answer T, err error) {
	if !b.pace.far() || ctx.Err() != nil {
		return call(ctx)
	}
	type outcome struct {
		answer T
		err    error
	}
	outcomes := make(chan outcome, 1)
	go func() {
		lasting, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(b.pace.lasting(), b.options.Timeout))
		defer cancel()
		defer context.AfterFunc(b.ctx, cancel)()
		answer, err := call(lasting)
		outcomes <- outcome{answer: answer, err: err}
	}()
	select {
	case o := <-outcomes:
		return o.answer, o.err
	case <-ctx.Done():
		return answer, ctx.Err()
	}
}

// attempt returns the time for one try of an append, or for a probe: enough for a new connection.
func (b *base) attempt() time.Duration { return max(b.options.Timeout, b.pace.connect()) }

// renew replaces a client after a failure, unless it was replaced meanwhile. Calls in progress fail.
func (b *base) renew(failed *redis.UniversalClient) {
	c := b.dial(nil)
	if !b.client.CompareAndSwap(failed, &c) {
		failed = &c
	}
	_ = (*failed).Close()
}

// digest is the name of a key in Redis: keys may be long and contain any bytes.
func digest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// The keys of an entry or a record and of its lease are in one hash slot of a cluster.
func (b *base) entryKey(key string) string  { return b.options.Prefix + ":e2:{" + digest(key) + "}" }
func (b *base) recordKey(key string) string { return b.options.Prefix + ":i:{" + digest(key) + "}" }
func (b *base) leaseKey(key string) string  { return b.options.Prefix + ":l:{" + digest(key) + "}" }

// besideLog returns the key of something that is used together with the log, and so is in its slot: it has the whole
// key of the log as its hash tag.
func (b *base) besideLog(name string) string {
	return b.options.Prefix + ":" + name + ":{" + b.logKey + "}"
}

func (b *base) quotaKey(key string) string { return b.options.Prefix + ":q:" + digest(key) }
