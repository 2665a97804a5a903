package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Lease lets one instance do the work that all would do. It ends with Release, when its life
// is over, or when an instance that knows a later purge takes it over; [Lease.Keep] renews it. A holder that was suspended for longer than that
// may still act on it, so a lease saves work and protects nothing.
type Lease struct {
	store      *Store
	key, token string
	life       time.Duration

	mu       sync.Mutex
	over     time.Time   // when it expires, unless it is renewed
	renewals *time.Timer // nil: none
	released bool
}

// acquire sets the lease if it is free, or if its holder knew an older purge than the caller.
var acquire = redis.NewScript(`
local holder = redis.call('GET', KEYS[1])
if holder and string.sub(holder, 1, string.len(ARGV[2])) >= ARGV[2] then
	return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return 1`)

// Acquire acquires the lease on key for life (at least 1 ms), if it is free. purged is the
// position of the newest purge that the caller knows: a holder that did not know it may be
// fetching what it invalidated, and loses the lease. An error means that the result is not
// known, and the caller does the work. It takes at most the budget, once it has a slot.
func (r *Store) Acquire(ctx context.Context, key string, purged Position, life time.Duration) (l *Lease, held bool, err error) {
	// Lua has no integers of 64 bits, so positions are compared as text of a fixed length.
	at := fmt.Sprintf("%020d", purged)
	l = &Lease{store: r, key: key, token: at + "-" + rand.Text(), life: life, over: time.Now().Add(life)}
	err = r.withSlot(ctx, func(ctx context.Context, c redis.UniversalClient) (err error) {
		held, err = acquire.Run(ctx, c, []string{r.leaseKey(key)}, l.token, at, max(life, time.Millisecond).Milliseconds()).Bool()
		return err
	})
	switch {
	case held:
		return l, true, nil
	case err == nil:
		return nil, false, nil
	case !errors.Is(err, ErrDown) && !errors.Is(err, errSaturated):
		// It may have been acquired all the same, and others would wait for it in vain.
		go l.abandon()
	}
	return nil, false, fmt.Errorf("redis: lease: %w", err)
}

// renew extends the lease to its whole life if it is still ours.
var renew = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0`)

// Keep renews the lease until it is released, however long the work takes. Once this
// process is gone, the others wait for no longer than the life of the lease. The work must
// have a timeout of its own.
func (l *Lease) Keep() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewals = time.AfterFunc(l.life/3, l.renew)
}

func (l *Lease) renew() {
	began, held := time.Now(), 0
	err := l.store.try(l.store.ctx, l.life/3, func(ctx context.Context, c redis.UniversalClient) (err error) {
		held, err = renew.Run(ctx, c, []string{l.store.leaseKey(l.key)}, l.token, l.life.Milliseconds()).Int()
		return err
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	if held == 1 {
		l.over = began.Add(l.life)
	}
	lost := err == nil && held == 0
	if !l.released && !lost && l.store.ctx.Err() == nil {
		l.renewals.Reset(l.life / 3)
	}
}

// stop ends the renewals, and returns when the lease expires without them.
func (l *Lease) stop() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.released = true
	if l.renewals != nil {
		l.renewals.Stop()
	}
	return l.over
}

// release deletes the lease if it is still ours, and leaves its failure, if any, to those
// that wait for it.
var release = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return 0
end
if ARGV[2] ~= '' then
	redis.call('SET', KEYS[2], ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[3])
end
return redis.call('DEL', KEYS[1])`)

// failureLife is how long a failure is kept for those that wait, which poll far more often.
const failureLife = 5 * time.Second

// Release releases the lease. failure, if not "", is what [Store.Wait] returns to those
// that wait for it. It does so also when ctx has ended, and then takes at most 500 ms. Else
// it goes on until there is an answer or the lease has expired: others wait for that long.
func (l *Lease) Release(ctx context.Context, failure string) {
	over := l.stop()
	for {
		err := l.store.try(context.WithoutCancel(ctx), patience, func(ctx context.Context, c redis.UniversalClient) error {
			return l.run(ctx, c, failure)
		})
		if err == nil || refused(err) || ctx.Err() != nil || time.Now().After(over) {
			return
		}
		pause(ctx, probeEvery)
	}
}

func (l *Lease) run(ctx context.Context, c redis.UniversalClient, failure string) error {
	keys := []string{l.store.leaseKey(l.key), l.store.failureKey(l.key)}
	return release.Run(ctx, c, keys, l.token, failure, failureLife.Milliseconds()).Err()
}

// abandon releases a lease that may not be held, or only be acquired yet: Redis does
// what it was asked though nobody waits for it any more.
func (l *Lease) abandon() {
	for range 2 {
		l.Release(l.store.ctx, "")
		pause(l.store.ctx, patience)
	}
}

// The pause between two polls of a lease is an eighth of the time waited, within these
// bounds: an answer that took 40 ms is found after some 3 ms more, and a site that hangs
// does not make its waiters load Redis.
const (
	minPoll = 5 * time.Millisecond
	maxPoll = 100 * time.Millisecond
)

// Wait returns when the lease on key is released, taken over or has expired, or at once if
// nobody holds it. failure is what its holder passed to [Lease.Release]. An error is that of ctx,
// or Redis does not answer.
func (r *Store) Wait(ctx context.Context, key string) (failure string, err error) {
	holder, err := r.text(ctx, r.leaseKey(key))
	if err != nil || holder == "" {
		return "", err
	}
	r.n.waiting.Add(1)
	defer r.n.waiting.Add(-1)
	for began, now := time.Now(), holder; now == holder; {
		if pause(ctx, min(max(minPoll, time.Since(began)/8), maxPoll)); ctx.Err() != nil {
			return "", ctx.Err()
		}
		switch next, err := r.text(ctx, r.leaseKey(key)); {
		case err == nil:
			now = next
		case !timedOut(err): // else the next poll decides
			return "", err
		}
	}
	text, err := r.text(ctx, r.failureKey(key))
	if of, what, _ := strings.Cut(text, " "); of == holder {
		failure = what
	}
	return failure, err
}

// text returns the value of a key; "" if there is none.
func (r *Store) text(ctx context.Context, key string) (text string, err error) {
	err = r.withSlot(ctx, func(ctx context.Context, c redis.UniversalClient) (err error) {
		text, err = c.Get(ctx, key).Result()
		return err
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return "", fmt.Errorf("redis: wait for a lease: %w", err)
	}
	return text, nil
}
