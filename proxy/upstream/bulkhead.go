package upstream

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// bulkhead limits the calls in flight to one host and the queue for these slots, and shares
// both fairly among clients.
type bulkhead struct {
	timeout time.Duration // in the queue

	mu    sync.Mutex
	queue *queue
}

func newBulkhead(l queueLimits, timeout time.Duration) *bulkhead {
	return &bulkhead{timeout: timeout, queue: newQueue(l)}
}

// enter acquires a slot. It returns [ErrShed] if there is none in time, and the error of ctx if
// that is canceled first. The caller releases the slot with leave.
func (b *bulkhead) enter(ctx context.Context, class Class) (*slot, error) {
	b.mu.Lock()
	s, _ := b.queue.enter(ClientOf(ctx), class)
	b.mu.Unlock()
	if s.waited != nil {
		b.wait(ctx, s)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.state == slotGranted {
		return s, nil
	}
	b.queue.abandon(s)
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, callError(false, ctx.Err())
	}
	return nil, ErrShed
}

// wait waits until a slot is granted or refused. Other clients that wait for the same response share
// the slot: the call is queued for each of them.
func (b *bulkhead) wait(ctx context.Context, s *slot) {
	stop := cache.OnJoin(ctx, func(other any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.queue.join(s, other.(netip.Addr))
	})
	defer stop()
	timer := time.NewTimer(b.timeout)
	defer timer.Stop()
	select {
	case <-s.waited:
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (b *bulkhead) leave(s *slot) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue.leave(s)
}

// load returns the number of calls in flight and in the queue.
func (b *bulkhead) load() (inFlight, queued int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.queue.underWay(), b.queue.waiting
}
