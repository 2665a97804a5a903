package staging

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

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
	tasks   chan func(context.Context)
	timeout time.Duration
	rate    *rate.Limiter
	dropped atomic.Uint64

	ctx     context.Context // of the tasks; canceled by Close
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// NewQueue makes a queue that runs until Close.
func NewQueue(l Limits) *Queue {
	each := cmp.Or(l.Rate, 10)
	q := &Queue{
		tasks: make(chan func(context.Context), cmp.Or(l.Waiting, 64)), timeout: cmp.Or(l.Timeout, 10*time.Second),
		rate: rate.NewLimiter(rate.Limit(each), each),
	}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	for range cmp.Or(l.Concurrency, 2) {
		q.running.Go(q.work)
	}
	return q
}

// Offer queues a task, and reports whether it did. The context of the task has the timeout,
// and is canceled by Close.
func (q *Queue) Offer(task func(context.Context)) bool {
	if q.ctx.Err() == nil && q.rate.Allow() {
		select {
		case q.tasks <- task:
			return true
		default:
		}
	}
	q.dropped.Add(1)
	return false
}

// Dropped returns the number of tasks that were dropped.
func (q *Queue) Dropped() uint64 { return q.dropped.Load() }

// Close cancels the tasks in progress, waits for them, and drops those in the queue.
func (q *Queue) Close() {
	q.cancel()
	q.running.Wait()
}

func (q *Queue) work() {
	for q.ctx.Err() == nil {
		select {
		case <-q.ctx.Done():
		case task := <-q.tasks:
			ctx, cancel := context.WithTimeout(q.ctx, q.timeout)
			if q.ctx.Err() == nil { // select takes either if both are ready
				task(ctx)
			}
			cancel()
		}
	}
}
