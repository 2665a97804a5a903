package proxy

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// rank says how much is lost with a call that is not made: more with a higher one.
type rank int

const (
	refreshes rank = iota // there is something stale to give meanwhile
	reads
	writes // a person waits, and has typed something
)

// bulkhead bounds the calls under way to one host, and those that wait for one
// of them to end, first come, first served. The longer the queue, the fewer may
// join it: a refresh none at all, reads all but a quarter of it, writes all.
type bulkhead struct {
	places  *semaphore.Weighted
	queue   int
	timeout time.Duration

	inFlight, queued atomic.Int64
}

func newBulkhead(places, queue int, timeout time.Duration) *bulkhead {
	return &bulkhead{places: semaphore.NewWeighted(int64(places)), queue: queue, timeout: timeout}
}

// enter takes a place. It gives errShed if there is none in time, and the error
// of ctx if that ends first. Who got a place gives it back with leave.
func (b *bulkhead) enter(ctx context.Context, r rank) error {
	if !b.places.TryAcquire(1) { // never past those who wait
		if err := b.wait(ctx, r); err != nil {
			return err
		}
	}
	b.inFlight.Add(1)
	return nil
}

func (b *bulkhead) wait(ctx context.Context, r rank) error {
	defer b.queued.Add(-1)
	if b.queued.Add(1) > b.room(r) {
		return errShed
	}
	limited, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	if b.places.Acquire(limited, 1) == nil {
		return nil
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return callError(false, ctx.Err())
	}
	return errShed
}

// room is how long the queue may be with a call of rank r in it.
func (b *bulkhead) room(r rank) int64 {
	switch r {
	case refreshes:
		return 0
	case reads:
		return int64(b.queue - b.queue/4)
	}
	return int64(b.queue)
}

func (b *bulkhead) leave() {
	b.inFlight.Add(-1)
	b.places.Release(1)
}
