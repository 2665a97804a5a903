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

// Lease is the right of one process to do what all would do. It ends with
// Release or with its life, whichever is first; [Lease.Keep] renews it. A holder that
// was asleep past its life may still believe in it, so a lease saves work and protects
// nothing.
type Lease struct {
	redis      *Store
	key, token string
	life       time.Duration

	mu       sync.Mutex
	over     time.Time   // when it ends, unless it is renewed
	renewals *time.Timer // nil: none
	released bool
}

// Acquire takes the lease on key for life (at least 1 ms), if nobody holds it.
// An error says that Redis cannot tell: then everyone does the work. It takes at
// most the budget, once it has its turn.
func (r *Store) Acquire(ctx context.Context, key string, life time.Duration) (l *Lease, held bool, err error) {
	l = &Lease{redis: r, key: key, token: rand.Text(), life: life, over: time.Now().Add(life)}
	err = r.inTurn(ctx, func(ctx context.Context, c redis.UniversalClient) error {
		return c.SetArgs(ctx, r.leaseKey(key), l.token, redis.SetArgs{Mode: "NX", TTL: max(life, time.Millisecond)}).Err()
	})
	switch {
	case err == nil:
		return l, true, nil
	case errors.Is(err, redis.Nil):
		return nil, false, nil
	case !errors.Is(err, ErrDown) && !errors.Is(err, errCrowd):
		// It may have been taken all the same, and others would wait for nobody.
		go l.abandon()
	}
	return nil, false, fmt.Errorf("cache: lease: %w", err)
}

// renew gives the lease its whole life again if it is still ours.
var renew = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0`)

// Keep renews the lease until it is released: the others need not wait for longer than
// its life once this process is gone, however long the work takes. The work has to end
// by itself.
func (l *Lease) Keep() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewals = time.AfterFunc(l.life/3, l.renew)
}

func (l *Lease) renew() {
	began, held := time.Now(), 0
	err := l.redis.try(l.redis.ctx, l.life/3, func(ctx context.Context, c redis.UniversalClient) (err error) {
		held, err = renew.Run(ctx, c, []string{l.redis.leaseKey(l.key)}, l.token, l.life.Milliseconds()).Int()
		return err
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	if held == 1 {
		l.over = began.Add(l.life)
	}
	lost := err == nil && held == 0
	if !l.released && !lost && l.redis.ctx.Err() == nil {
		l.renewals.Reset(l.life / 3)
	}
}

// stop ends the renewals, and returns when the lease is over without them.
func (l *Lease) stop() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.released = true
	if l.renewals != nil {
		l.renewals.Stop()
	}
	return l.over
}

// release deletes the lease if it is still ours, and tells everyone who waits.
var release = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
	redis.call('DEL', KEYS[1])
	redis.call('PUBLISH', ARGV[2], ARGV[3])
	return 1
end
return 0`)

// Release gives the lease back and wakes those who wait, in all processes. failure, if
// not "", tells them that the work failed: a text without spaces. It does so also when
// ctx has ended, and then takes at most 500 ms. Else it goes on until there is an answer
// or the lease is over: others wait for it to its end.
func (l *Lease) Release(ctx context.Context, failure string) {
	over := l.stop()
	for {
		err := l.redis.try(context.WithoutCancel(ctx), patience, func(ctx context.Context, c redis.UniversalClient) error {
			return l.run(ctx, c, failure)
		})
		if err == nil || refused(err) || ctx.Err() != nil || time.Now().After(over) {
			return
		}
		pause(ctx, probeEvery)
	}
}

func (l *Lease) run(ctx context.Context, c redis.UniversalClient, failure string) error {
	news := strings.TrimSpace(digest(l.key) + " " + failure)
	return release.Run(ctx, c, []string{l.redis.leaseKey(l.key)}, l.token, l.redis.wakeChannel(), news).Err()
}

// abandon releases a lease that may not be held, or only be taken yet: Redis does
// what it was asked though nobody waits for it any more.
func (l *Lease) abandon() {
	for range 2 {
		l.Release(l.redis.ctx, "")
		pause(l.redis.ctx, patience)
	}
}

// Wait returns when the lease on key is released or its time is over, or at once
// if nobody holds it. It may return early: the caller looks again. failure is what its
// holder said of work that failed. An error is that of ctx, or says that Redis cannot
// tell.
func (r *Store) Wait(ctx context.Context, key string) (failure string, err error) {
	for {
		// The order matters: what is released after the lease was looked at is
		// heard, since the ears were open before.
		line, err := r.wake.listen(ctx, r)
		if err != nil {
			return "", err
		}
		news, leave := line.expect(digest(key))
		left, err := r.leaseLeft(ctx, key)
		if err != nil || left <= 0 {
			leave()
			return "", err
		}
		r.n.waiting.Add(1)
		again, err := sit(ctx, left, news.heard, line.gone)
		r.n.waiting.Add(-1)
		leave()
		if !again {
			return news.failed(), err
		}
	}
}

// sit waits for news. again says that the line broke, and with it perhaps the news.
func sit(ctx context.Context, left time.Duration, heard, gone <-chan struct{}) (again bool, err error) {
	over := time.NewTimer(left)
	defer over.Stop()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-over.C: // a holder that died wakes nobody
		return false, nil
	case <-heard:
		return false, nil
	case <-gone:
		return true, nil
	}
}

// leaseLeft is how long the lease on key is still held, 0 if it is not.
func (r *Store) leaseLeft(ctx context.Context, key string) (left time.Duration, err error) {
	err = r.inTurn(ctx, func(ctx context.Context, c redis.UniversalClient) (err error) {
		left, err = c.PTTL(ctx, r.leaseKey(key)).Result()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("cache: wait for a lease: %w", err)
	}
	if left < 0 {
		return 0, nil
	}
	return left + time.Millisecond, nil // PTTL rounds
}
