package staging_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/calfacade/calfacade/proxy/staging"
)

// offered counts how many of n tasks the queue accepts.
func offered(q *staging.Queue, n int, task func(context.Context)) (accepted int) {
	for range n {
		if q.Offer(task) {
			accepted++
		}
	}
	return accepted
}

// TestQueueIsBounded: up to the limits tasks run and wait, and the rest is dropped at
// once.
func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := staging.NewQueue(staging.Limits{Rate: 1000, Concurrency: 2, Waiting: 3})
		defer q.Close()
		var running, maximum, done atomic.Int64
		task := func(ctx context.Context) {
			maximum.Store(max(maximum.Load(), running.Add(1)))
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
				done.Add(1)
			}
			running.Add(-1)
		}
		for _, test := range []struct{ offer, accepted int }{{2, 2}, {5, 3}, {1, 0}} {
			if got := offered(q, test.offer, task); got != test.accepted {
				t.Errorf("%d of %d tasks were accepted, want %d", got, test.offer, test.accepted)
			}
			synctest.Wait()
		}
		time.Sleep(5 * time.Second)
		if maximum.Load() != 2 || done.Load() != 5 || q.Dropped() != 3 {
			t.Errorf("%d at once, %d done, %d dropped", maximum.Load(), done.Load(), q.Dropped())
		}
	})
}

func TestQueueRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := staging.NewQueue(staging.Limits{Rate: 5, Concurrency: 100, Waiting: 100})
		defer q.Close()
		for i, want := range []int{5, 5, 5} {
			if got := offered(q, 20, func(context.Context) {}); got != want {
				t.Errorf("second %d: %d tasks, want %d", i, got, want)
			}
			time.Sleep(time.Second)
		}
		if q.Dropped() != 45 {
			t.Errorf("%d dropped, want 45", q.Dropped())
		}
	})
}

// TestQueueDefaults: ten a second, two at once, ten seconds each.
func TestQueueDefaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := staging.NewQueue(staging.Limits{})
		defer q.Close()
		var stopped atomic.Int64
		if got := offered(q, 20, func(ctx context.Context) { <-ctx.Done(); stopped.Add(1) }); got != 10 {
			t.Errorf("%d tasks in a second, want 10", got)
		}
		time.Sleep(time.Second) // so that no check coincides with a timeout
		for i := range 5 {
			if got := stopped.Load(); got != int64(2*i) {
				t.Errorf("%d tasks stopped after %d s, want %d", got, 10*i+1, 2*i)
			}
			time.Sleep(10 * time.Second)
		}
		if got := stopped.Load(); got != 10 {
			t.Errorf("%d of 10 tasks stopped", got)
		}
	})
}

// TestQueueCloses: Close cancels running tasks, drops waiting ones, and leaves no goroutine
// running.
func TestQueueCloses(t *testing.T) {
	baseline := goleak.IgnoreCurrent()
	defer goleak.VerifyNone(t, baseline)
	for range 20 { // a worker selects at random between the end and a task
		q := staging.NewQueue(staging.Limits{Rate: 1000, Concurrency: 2, Waiting: 50})
		began := make(chan struct{})
		var stopped, late atomic.Int64
		for range 2 {
			q.Offer(func(ctx context.Context) {
				began <- struct{}{}
				<-ctx.Done()
				stopped.Add(1)
			})
			<-began
		}
		if got := offered(q, 50, func(context.Context) { late.Add(1) }); got != 50 {
			t.Fatalf("%d waiting", got)
		}
		q.Close()
		if stopped.Load() != 2 || late.Load() != 0 {
			t.Fatalf("%d of 2 tasks were waited for, %d began after Close", stopped.Load(), late.Load())
		}
		if q.Offer(func(context.Context) {}) || q.Dropped() != 1 {
			t.Errorf("a closed queue accepts tasks, or dropped %d", q.Dropped())
		}
	}
}
