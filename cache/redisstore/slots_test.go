package redisstore

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// TestBreakerLate: a late call among replies is slow. A late one without any, or several in a
// row, mean that Redis hangs.
func TestBreakerLate(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	cancel() // no probes
	for _, c := range []struct {
		what string
		do   func(b *breaker, now time.Time)
		want uint64
	}{
		{"no answer since it began", func(b *breaker, now time.Time) {
			b.answered()
			b.late(0, time.Now())
		}, 1},
		{"an answer since it began", func(b *breaker, now time.Time) {
			b.answered()
			b.late(0, now)
		}, 0},
		{"one less than a row", func(b *breaker, now time.Time) {
			b.answered()
			for range lateInARow - 1 {
				b.late(0, now)
			}
		}, 0},
		{"a row", func(b *breaker, now time.Time) {
			b.answered()
			for range lateInARow {
				b.late(0, now)
			}
		}, 1},
		{"a row with an answer in it", func(b *breaker, now time.Time) {
			for range 2 * lateInARow {
				b.answered()
				b.late(0, now)
			}
		}, 0},
	} {
		b := newBreaker(background, func(context.Context) error { <-ctx.Done(); return nil })
		c.do(b, b.start)
		b.probing.Wait()
		if got := b.trips.Load(); got != c.want {
			t.Errorf("%s: opened %d times, want %d", c.what, got, c.want)
		}
	}
}

// TestLongBudget: no call has less time than one that a request waits for.
func TestLongBudget(t *testing.T) {
	for _, test := range []struct{ budget, want time.Duration }{{patience / 20, patience}, {2 * patience, 2 * patience}} {
		synctest.Test(t, func(t *testing.T) {
			began, deadline := time.Now(), time.Time{}
			r := &Store{options: Options{Budget: test.budget}}
			r.breaker = newBreaker(t.Context(), func(context.Context) error { return ErrDown })
			r.client.Store(new(redis.UniversalClient))
			err := r.try(t.Context(), patience, func(ctx context.Context, _ redis.UniversalClient) error {
				deadline, _ = ctx.Deadline()
				return nil
			})
			if got := deadline.Sub(began); err != nil || got != test.want {
				t.Errorf("budget %s: %s, want %s; %v", test.budget, got, test.want, err)
			}
		})
		if o := limits(new(redis.UniversalOptions), test.budget); o.ReadTimeout != test.want || o.WriteTimeout != test.want || o.DialTimeout != test.want {
			t.Errorf("budget %s: %s, %s and %s, want %s", test.budget, o.ReadTimeout, o.WriteTimeout, o.DialTimeout, test.want)
		}
	}
}

// TestRedisSlots: calls wait for a slot while Redis responds, and return at once when the breaker
// opens.
func TestRedisSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := &Store{lookups: make(chan struct{}, 1)}
		r.breaker = newBreaker(ctx, func(context.Context) error { return ErrDown })
		enter := func(ctx context.Context) (leave func(), waited time.Duration, err error) {
			began := time.Now()
			leave, err = r.enter(ctx, r.lookups)
			return leave, time.Since(began), err
		}
		leave, waited, err := enter(ctx)
		if err != nil || waited != 0 {
			t.Errorf("the first: after %v, %v", waited, err)
		}
		if _, waited, err := enter(ctx); !errors.Is(err, errSaturated) || waited != patience || r.Stats().Saturated != 1 {
			t.Errorf("all slots in use: after %v, %v", waited, err)
		}
		gone, leaves := context.WithTimeout(ctx, time.Millisecond)
		defer leaves()
		if _, waited, err := enter(gone); !errors.Is(err, context.DeadlineExceeded) || waited != time.Millisecond {
			t.Errorf("the caller disconnected: after %v, %v", waited, err)
		}
		time.AfterFunc(time.Millisecond, leave)
		if _, waited, err = enter(ctx); err != nil || waited != time.Millisecond {
			t.Errorf("a slot is released: after %v, %v", waited, err)
		}
		time.AfterFunc(time.Millisecond, func() { r.breaker.trip(0, ErrDown) })
		if _, waited, err := enter(ctx); !errors.Is(err, ErrDown) || waited != time.Millisecond {
			t.Errorf("Redis is down: after %v, %v", waited, err)
		}
		cancel()
		r.breaker.wait()
	})
}

// TestRedisHungUnderLoad: a Redis that hangs under load delays a request no longer than an idle
// one does. The first calls to exceed their budget release those that wait for a slot, and those
// that have one.
func TestRedisHungUnderLoad(t *testing.T) {
	t.Parallel()
	s := redistest.StartServer(t)
	r := open(t, Options{URLs: []string{s.URL() + "?pool_size=8"}, Budget: time.Second})
	eventually(t, "connected", func() bool { return (*r.client.Load()).Ping(background).Err() == nil })
	s.Freeze()
	const clients = 100
	get := func() { r.Get(background, "key") }
	var wait sync.WaitGroup
	for range clients {
		// One after the other they would take 25 s.
		wait.Go(func() { bounded(t, 10*r.options.Budget, get) })
	}
	wait.Wait()
	untilDown(t, r, get) // a stall may have made all calls late
	if s := r.Stats(); s.Trips != 1 || s.Up || s.Timeouts+s.Errors > clients/2 {
		t.Errorf("stats = %+v, want one trip, and few calls", s)
	}
	quietly(t, r)
}

// TestBreakerReleasesWaiters: when the breaker opens no call stays waiting for a connection.
func TestBreakerReleasesWaiters(t *testing.T) {
	s := redistest.StartServer(t)
	r := open(t, Options{URLs: []string{s.URL()}, Budget: aLongTime})
	eventually(t, "connected", func() bool { return (*r.client.Load()).Ping(background).Err() == nil })
	s.Freeze()
	done := make(chan struct{})
	go func() { defer close(done); r.Get(background, "key") }()
	eventually(t, "it has a connection", func() bool {
		pool := (*r.client.Load()).PoolStats()
		return pool.TotalConns > pool.IdleConns
	})
	r.breaker.trip(0, ErrDown)
	<-done
	if s := r.Stats(); s.Timeouts != 0 || s.Errors != 1 {
		t.Errorf("stats = %+v, want an error and not a timeout", s)
	}
}
