package staging

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// Limits bound background work.
type Limits struct {
	Rate        int           // tasks a second; 0 is 10
	Concurrency int           // tasks at a time; 0 is 2
	Waiting     int           // tasks in the queue; 0 is 64
	Timeout     time.Duration // of a task; 0 is 10 s
}

// Queue runs tasks in the background. Offering one never waits: if the queue is full the task
// is dropped and counted.
type Queue struct {
	tasks   errgroup.Group // those that run and those that wait
	running *semaphore.Weighted
	atOnce  int64 // tasks that run
	timeout time.Duration
	rate    *rate.Limiter
	dropped atomic.Uint64

	ctx    context.Context // of the tasks; canceled by Close
	cancel context.CancelFunc
}

// NewQueue makes a queue for use until Close.
func NewQueue(l Limits) *Queue {
	perSecond := cmp.Or(l.Rate, 10)
	atOnce := cmp.Or(l.Concurrency, 2)
	q := &Queue{running: semaphore.NewWeighted(int64(atOnce)), atOnce: int64(atOnce), timeout: cmp.Or(l.Timeout, 10*time.Second),
		rate: rate.NewLimiter(rate.Limit(perSecond), perSecond)}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	q.tasks.SetLimit(atOnce + cmp.Or(l.Waiting, 64))
	return q
}

// Offer queues a task, and reports whether the queue had room. The context of the task has the timeout,
// and is canceled by Close.
func (q *Queue) Offer(task func(context.Context)) bool {
	run := func() error {
		if q.running.Acquire(q.ctx, 1) != nil {
			return nil // closed
		}
		defer q.running.Release(1)
		ctx, cancel := context.WithTimeout(q.ctx, q.timeout)
		defer cancel()
		task(ctx)
		return nil
	}
	if q.ctx.Err() == nil && q.rate.Allow() && q.tasks.TryGo(run) {
		return true
	}
	q.dropped.Add(1)
	return false
}

// Dropped returns the number of tasks that were dropped.
func (q *Queue) Dropped() uint64 { return q.dropped.Load() }

// Close cancels the tasks in progress, waits for them, and drops the tasks in the queue. Close does not wait for
// the group: a task may be offered meanwhile.
func (q *Queue) Close() {
	q.cancel()
	_ = q.running.Acquire(context.Background(), q.atOnce) // never fails
}
