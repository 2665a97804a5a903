package redisstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// TestRedisDown: a Redis that is dead or hangs delays the first lookup by a bounded time and the
// next ones not at all, and is used again when it is back.
func TestRedisDown(t *testing.T) {
	for _, how := range []struct {
		name     string
		down, up func(*redistest.Server)
	}{
		{"dead", (*redistest.Server).Kill, (*redistest.Server).Start},
		{"hung", (*redistest.Server).Freeze, (*redistest.Server).Resume},
	} {
		t.Run(how.name, func(t *testing.T) {
			t.Parallel()
			s := redistest.StartServer(t)
			changes := make(chan error, 100)
			r := open(t, Options{URLs: []string{s.URL()}, Budget: calmBudget, Changed: func(cause error) { changes <- cause }})
			put := func() bool {
				r.Put(background, "key", []byte("x"), time.Hour)
				_, ok := r.Get(background, "key")
				return ok
			}
			eventually(t, "put and got", put)

			for len(changes) > 0 {
				<-changes // of a stall
			}
			before := r.Stats()
			how.down(s)
			lookups := untilDown(t, r, func() { r.Get(background, "key") })
			if s := r.Stats(); s.Up || s.Trips != before.Trips+1 || s.Errors+s.Timeouts != before.Errors+before.Timeouts+lookups {
				t.Fatalf("after %d lookups: %+v, before %+v", lookups, s, before)
			}
			quietly(t, r)
			if cause := <-changes; cause == nil || timedOut(cause) != (how.name == "hung") {
				t.Errorf("the cause is %v", cause)
			}

			how.up(s)
			eventually(t, "is up", func() bool { return r.Stats().Up })
			if cause := <-changes; cause != nil || len(changes) > 0 {
				t.Errorf("back, with the cause %v and %d further changes", cause, len(changes))
			}
			eventually(t, "put and got again", put)
		})
	}
}

// calmBudget is far above most delays of a busy machine, which could look like timeouts, and below
// the time that go-redis waits by itself.
const calmBudget = time.Second

// untilDown makes calls to a Redis that is down until the breaker is open, and returns their
// number: more than one only if the timer of a call was late, which proves nothing about Redis.
// Calls that wait for the 1.7 or 5 s of go-redis are all late.
func untilDown(t *testing.T, r *Store, call func()) (calls uint64) {
	t.Helper()
	for late := true; late && r.Up(); calls++ {
		if calls == 10 {
			t.Fatalf("each of %d calls took longer than its budget", calls)
		}
		began := time.Now()
		call()
		late = starved(time.Since(began), r.options.Budget)
	}
	return calls
}

// quietly fails the test if calls with an open breaker use the network.
func quietly(t *testing.T, r *Store) {
	t.Helper()
	client := *r.client.Load()
	stats, pool := r.Stats(), *client.PoolStats()
	for range 100 {
		if _, ok := r.Get(background, "key"); ok {
			t.Fatal("found")
		}
	}
	r.Put(background, "key", nil, time.Hour)
	_, err1 := r.Append(background, nil)
	_, held, err2 := r.Acquire(background, "key", 0, time.Hour)
	err3 := released(background, r, "key")
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, ErrDown) || held {
			t.Errorf("error is %v, want ErrRedisDown", err)
		}
	}
	now := r.Stats()
	if now.Skipped != stats.Skipped+104 || now.Errors != stats.Errors || now.Timeouts != stats.Timeouts ||
		now.PutErrors != stats.PutErrors+1 || now.AppendErrors != stats.AppendErrors+1 {
		t.Errorf("stats were %+v, are %+v", stats, now)
	}
	if p := *client.PoolStats(); p.Hits != pool.Hits || p.Misses != pool.Misses || p.Timeouts != pool.Timeouts {
		t.Errorf("connections were taken: %+v, before %+v", p, pool)
	}
}

// bounded fails the test if f takes longer than limit.
func bounded(t *testing.T, limit time.Duration, f func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(background, limit)
	defer cancel()
	f()
	if ctx.Err() != nil {
		t.Errorf("took more than %v", limit)
	}
}

// TestRedisNeverReachable: a Redis that was never reachable is no error of Open, and no call
// waits for it.
func TestRedisNeverReachable(t *testing.T) {
	r := open(t, Options{URLs: []string{"redis://127.0.0.1:" + redistest.FreePort(t)}})
	rec, _ := follow(t, r)
	rec.await("lost", 0, func(e notice) bool { return e.what == "lost" })
	bounded(t, aLongTime, func() { r.Get(background, "key") })
	quietly(t, r)
	if r.Stats().Losses != 1 {
		t.Errorf("stats = %+v, want one loss however often it is tried", r.Stats())
	}
}

// TestRedisWrongPassword: a wrong password opens the breaker, because each lookup would cost a
// connection.
func TestRedisWrongPassword(t *testing.T) {
	run := redistest.StartPassword(t)
	r := open(t, Options{URLs: []string{"redis://:wr0ng@" + run.Masters[0].Address}, Budget: aLongTime})
	_, err := r.Append(background, nil)
	if err == nil || strings.Contains(err.Error(), "wr0ng") {
		t.Errorf("error is %v", err)
	}
	quietly(t, r)
}

// TestRedisCallerGone: a caller that disconnects does not count as a failure of Redis.
func TestRedisCallerGone(t *testing.T) {
	s := redistest.StartServer(t)
	r := open(t, Options{URLs: []string{s.URL()}})
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, ok := r.Get(ctx, "key"); ok {
		t.Error("found")
	}
	if _, err := r.Append(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if s := r.Stats(); !s.Up || s.Trips != 0 || s.Errors+s.Timeouts != 0 {
		t.Errorf("stats = %+v", s)
	}
}

// TestRedisWaitDown: waiters for a lease return when Redis dies.
func TestRedisWaitDown(t *testing.T) {
	for _, how := range []struct {
		name string
		down func(*redistest.Server)
	}{{"dead", (*redistest.Server).Kill}, {"hung", (*redistest.Server).Freeze}} {
		t.Run(how.name, func(t *testing.T) {
			t.Parallel()
			s := redistest.StartServer(t)
			r := open(t, Options{URLs: []string{s.URL()}, Budget: 2 * time.Second})
			_, _, err := r.Acquire(background, "key", 0, time.Hour)
			must(t, err)
			waits := make(chan error, 1)
			go func() { waits <- released(background, r, "key") }()
			eventually(t, "waits", func() bool { return r.Stats().Waiting == 1 })
			how.down(s)
			eventually(t, "breaker open", func() bool {
				r.Get(background, "key")
				return !r.Stats().Up
			})
			select {
			case err := <-waits:
				if err == nil {
					t.Error("Wait returned as if the lease were free")
				}
			case <-time.After(aLongTime):
				t.Error("still waits")
			}
		})
	}
}

// TestRedisSubscriptionCut: a broken subscription is replaced, and acknowledgements arrive on the new one.
func TestRedisSubscriptionCut(t *testing.T) {
	s := redistest.StartServer(t)
	r := open(t, Options{URLs: []string{s.URL()}, Budget: aLongTime})
	for range 3 {
		l, err := r.acknowledged.open(background, r)
		must(t, err)
		applied, token, forget := r.acks.expect(r.id)
		_, number, _ := strings.Cut(token, " ")
		s.Do("PUBLISH", r.ackChannel(r.id), "other "+number)
		ctx, cancel := context.WithTimeout(background, aLongTime)
		if !applied.await(ctx, r.id, []string{r.id, "other"}) {
			t.Error("not acknowledged")
		}
		cancel()
		forget()
		s.Do("CLIENT", "KILL", "TYPE", "pubsub")
		<-l.gone
	}
}

// TestRedisLeaseUnanswered: a lease is released if the reply to Acquire was lost.
func TestRedisLeaseUnanswered(t *testing.T) {
	s := redistest.StartServer(t)
	r := open(t, Options{URLs: []string{s.URL()}})
	other := open(t, Options{URLs: []string{s.URL()}})
	eventually(t, "connected", func() bool { return (*r.client.Load()).Ping(background).Err() == nil })
	s.Freeze()
	if _, held, err := r.Acquire(background, "key", 0, time.Hour); held || err == nil {
		t.Errorf("Acquire = %v, %v", held, err)
	}
	s.Resume()
	eventually(t, "the next has it", func() bool {
		_, held, err := other.Acquire(background, "key", 0, time.Hour)
		return err == nil && held
	})
}

// TestRedisLeaseReleasedLater: a lease whose release failed is released when Redis is back,
// unless it has expired.
func TestRedisLeaseReleasedLater(t *testing.T) {
	t.Parallel()
	s := redistest.StartServer(t)
	r := open(t, Options{URLs: []string{s.URL()}, Budget: 2 * time.Second})
	other := open(t, Options{URLs: []string{s.URL()}})
	eventually(t, "connected", func() bool { return (*r.client.Load()).Ping(background).Err() == nil })
	l, held, err := r.Acquire(background, "key", 0, time.Hour)
	if err != nil || !held {
		t.Fatalf("Acquire = %v, %v", held, err)
	}
	s.Freeze()
	eventually(t, "breaker open", func() bool { r.Get(background, "key"); return r.breaker.isOpen() })
	ended, cancel := context.WithCancel(background)
	cancel()
	var tries sync.WaitGroup
	tries.Go(func() { l.Release(ended, "") })
	tries.Go(func() { (&Lease{store: r, key: "key", token: l.token, over: time.Now()}).Release(background, "") })
	tried := make(chan struct{})
	go func() { tries.Wait(); close(tried) }()
	select {
	case <-tried:
	case <-time.After(aLongTime):
		t.Fatal("the release is retried after the lease expired")
	}
	tries.Go(func() { l.Release(background, "") })
	eventually(t, "tried", func() bool { return r.n.skipped.Load() >= 3 })
	s.Resume()
	tries.Wait()
	eventually(t, "the next has it", func() bool {
		_, held, err := other.Acquire(background, "key", 0, time.Hour)
		return err == nil && held
	})
}

// TestRedisRefused: a command that Redis refuses is not retried.
func TestRedisRefused(t *testing.T) {
	r := open(t, Options{URLs: []string{redistest.StartServer(t).URL()}, Budget: aLongTime})
	wrong := (*r.client.Load()).Do(background, "GET").Err()
	if !refused(wrong) {
		t.Errorf("not refused: %v", wrong)
	}
	for _, err := range []error{ErrDown, redis.ErrClosed, redis.ErrPoolTimeout, context.DeadlineExceeded, io.EOF} {
		if refused(err) {
			t.Errorf("refused: %v", err)
		}
	}
}

// TestRedisNow: instances share the clock of the server, if it reports one.
func TestRedisNow(t *testing.T) {
	here := time.Unix(1_800_000_000, 0)
	if got := newReading(here, "1900000000000001").redis; !got.Equal(time.UnixMicro(1900000000000001)) {
		t.Errorf("reported: %v", got)
	}
	if got := newReading(here, "").redis; !got.Equal(here) {
		t.Errorf("not reported: %v", got)
	}
	r := open(t, Options{URLs: []string{redistest.StartServer(t).URL()}})
	if !r.Now().IsZero() {
		t.Error("the time is known before the first reading")
	}
	rec, _ := follow(t, r)
	rec.caught(0, 0)
	if at := r.clock.Load(); at == nil || at.redis.Equal(at.local) {
		t.Errorf("the server's clock is %+v", at)
	}
}

func TestBreakerGeneration(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	b := newBreaker(ctx, nil)
	answers := make(chan error)
	b.probe = func(context.Context) error { return <-answers }
	old, ok := b.allow()
	if !ok {
		t.Fatal("a new breaker is open")
	}
	b.trip(old, ErrDown)
	b.trip(old, ErrDown)
	if _, ok := b.allow(); ok || b.trips.Load() != 1 {
		t.Errorf("allowed = %v after %d trips", ok, b.trips.Load())
	}
	answers <- fmt.Errorf("still down")
	answers <- nil
	eventually(t, "closed", func() bool { return !b.isOpen() })
	b.trip(old, ErrDown) // of a call that began before
	if b.isOpen() {
		t.Error("a failure from before the recovery opened it")
	}
	cancel()
	b.wait()
	now, _ := b.allow()
	b.trip(now, ErrDown)
	if b.isOpen() {
		t.Error("opened after it was stopped, and nothing will close it")
	}
}

// lateTimer is a context whose deadline has passed, and whose timer has not fired.
type lateTimer struct{ context.Context }

func (lateTimer) Deadline() (time.Time, bool) { return time.Now().Add(-time.Millisecond), true }

// TestDeadlineOfCaller: the deadline of a caller does not open the breaker, also if a
// connection observes it first.
func TestDeadlineOfCaller(t *testing.T) {
	r := open(t, Options{URLs: []string{redistest.StartServer(t).URL()}, Budget: aLongTime})
	r.Put(background, "key", []byte("x"), time.Hour)
	for range 20 {
		if _, err := r.Wait(lateTimer{background}, "key"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait past the deadline = %v", err)
		}
	}
	if _, ok := r.Get(background, "key"); !ok || !r.Up() {
		t.Errorf("after callers that gave up: found %t, %+v", ok, r.Stats())
	}
}
