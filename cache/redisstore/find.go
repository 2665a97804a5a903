package redisstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Found is the result of a lookup.
type Found struct {
	Data  []byte // the value of the key; nil without a value
	Lease *Lease // of this instance, to fetch the key, renewed until Release; nil without a lease
	Held  bool   // another instance has the lease
	Epoch string // of the log, before the lookup; "" before the first log read
}

// lookup is the answer to a lookup.
type lookup struct {
	data []byte // the value; nil without a value
	free bool   // nobody else has the lease
}

// Find reads the value of key, and acquires the lease on it for life (at least 1 ms) if nobody has
// it, in one round trip. Both are in the same slot of a cluster. After an error this instance has
// no lease, and Data may be set all the same.
func (r *Store) Find(ctx context.Context, key string, life time.Duration) (f Found, err error) {
	f.Epoch = *r.epoch.Load()
	r.n.add(&r.n.Gets, 1)
	l := &Lease{store: r.base, key: key, token: rand.Text(), life: life}
	answer, err := askWithSlot(ctx, r.base, r.lookups, "look a key up", r.options.Brief,
		func(ctx context.Context, c redis.UniversalClient) (a lookup, err error) {
			p := c.Pipeline()
			// In this order: a holder stores the value before it releases the lease.
			free := p.SetNX(ctx, r.leaseKey(key), l.token, max(life, time.Millisecond))
			value := p.Get(ctx, r.entryKey(key))
			if _, err = p.Exec(ctx); errors.Is(err, redis.Nil) {
				err = nil
			}
			a.free = free.Val()
			if value.Err() == nil {
				a.data, _ = value.Bytes()
			}
			return a, err
		})
	f.Data = answer.data
	if f.Data != nil {
		r.n.add(&r.n.Hits, 1)
	}
	if err != nil {
		return f, err
	}
	f.Held = !answer.free
	if !f.Held {
		lasting, stop := context.WithCancel(r.ctx)
		l.stop, f.Lease = stop, l
		go l.keep(lasting)
	}
	return f, nil
}

// Put stores data for life, which Redis rounds to milliseconds; a shorter life stores
// nothing. It may take 500 ms, so no request may wait for it. Failures are only counted.
func (r *Store) Put(ctx context.Context, key string, data []byte, life time.Duration) {
	if life < time.Millisecond {
		return
	}
	_, _ = askWithSlot(ctx, r.base, r.stores, "store an entry", patience, func(ctx context.Context, c redis.UniversalClient) (string, error) {
		return c.Set(ctx, r.entryKey(key), data, life).Result()
	})
}

// Lease lets one instance do the work that all would do. It ends with Release, or when its life
// is over; it is renewed, however long the work takes, so the work must have a timeout of its
// own. Once this process is gone, the others wait for no longer than the life of the lease. A
// holder that was suspended for longer than that may still act
// on it, so a lease saves work and protects nothing.
type Lease struct {
	store      *base
	key, token string
	life       time.Duration
	stop       context.CancelFunc // of its renewals
}

// extend gives a lease a new life in ms if it is still ours; 0 deletes it.
var extend = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0`)

// keep renews the lease until ctx ends or the lease is lost.
func (l *Lease) keep(ctx context.Context) {
	for pause(ctx, l.life/3) == nil {
		held, err := ask(l.store.ctx, l.store, "renew a lease", l.life/3, func(ctx context.Context, c redis.UniversalClient) (int, error) {
			return extend.Run(ctx, c, []string{l.store.leaseKey(l.key)}, l.token, l.life.Milliseconds()).Int()
		})
		if err == nil && held == 0 {
			return
		}
	}
}

// Release releases the lease. It takes at most 500 ms, also if ctx has ended; if it fails the lease expires.
func (l *Lease) Release(ctx context.Context) {
	l.stop()
	_, _ = ask(context.WithoutCancel(ctx), l.store, "release a lease", patience,
		func(ctx context.Context, c redis.UniversalClient) (any, error) {
			return extend.Run(ctx, c, []string{l.store.leaseKey(l.key)}, l.token, 0).Result()
		})
}

// The pause between two polls of a lease is an eighth of the time waited, within these
// bounds: an answer that took 40 ms is found after some 3 ms more, and a site that hangs
// does not make its waiters load Redis.
const (
	minPoll = 5 * time.Millisecond
	maxPoll = 100 * time.Millisecond
)

// Wait returns when the lease on key is released or has expired, also if another instance holds it by then, or at once
// if nobody holds it. It fails with ctx, if Redis refuses the poll, or after 500 ms without an answer of Redis: if all
// requests wait here, no request reads the log, and Redis does not count as down.
func (r *Store) Wait(ctx context.Context, key string) error {
	r.n.add(&r.n.Waiting, 1)
	defer r.n.add(&r.n.Waiting, -1)
	began := time.Now()
	answered := began
	first := ""
	for {
		holder, err := askWithSlot(ctx, r.base, r.lookups, "wait for a lease", r.options.Brief,
			func(ctx context.Context, c redis.UniversalClient) (string, error) {
				return c.Get(ctx, r.leaseKey(key)).Result()
			})
		first = cmp.Or(first, holder)
		switch {
		case err == nil && (holder == "" || holder != first):
			return nil
		case err == nil:
			answered = time.Now()
		case !timedOut(err) || time.Since(answered) > patience: // else the next poll decides
			return err
		}
		if err := pause(ctx, min(max(minPoll, time.Since(began)/8), maxPoll)); err != nil {
			return err
		}
	}
}
