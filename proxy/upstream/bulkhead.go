package upstream

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/fair"
)

// bulkhead limits the calls in flight to one host and the queue for these slots, and shares
// both fairly among clients.
type bulkhead struct {
	timeout time.Duration

	mu    sync.Mutex
	queue *fair.Queue
	waits map[*slot]chan struct{} // closed when the slot is granted or refused
}

// slot is one of the calls in flight, or of those in the queue.
type slot = fair.Slot

func newBulkhead(l fair.Limits, timeout time.Duration) *bulkhead {
	return &bulkhead{timeout: timeout, queue: fair.NewQueue(l), waits: map[*slot]chan struct{}{}}
}

// enter acquires a slot. It returns [ErrShed] if there is none in time, and the error of ctx if
// that is canceled first. The caller releases the slot with leave.
func (b *bulkhead) enter(ctx context.Context, class Class) (*slot, error) {
	s, changed := b.begin(ClientOf(ctx), class)
	if changed == nil {
		return b.outcome(ctx, s)
	}
	stop := cache.OnJoin(ctx, func(other any) { b.join(s, other.(netip.Addr)) })
	defer stop()
	timer := time.NewTimer(b.timeout)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
	}
	return b.outcome(ctx, s)
}

// begin requests a slot. changed is closed when the slot is granted or refused; nil if it is
// already.
func (b *bulkhead) begin(client netip.Addr, class Class) (s *slot, changed <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, displaced := b.queue.Enter(client, class)
	if displaced != nil {
		b.wake(displaced)
	}
	if s.State() != fair.Waiting {
		return s, nil
	}
	wait := make(chan struct{})
	b.waits[s] = wait
	return s, wait
}

// join lets another client that waits for the same response share the slot: the call is
// queued for both.
func (b *bulkhead) join(s *slot, other netip.Addr) {
	b.mu.Lock()
	defer b.mu.Unlock()
	waited := s.State() == fair.Waiting
	if b.queue.Join(s, other); waited && s.State() != fair.Waiting {
		b.wake(s)
	}
}

// outcome returns a granted slot, or the error of one that was refused. One that still waits
// is abandoned.
func (b *bulkhead) outcome(ctx context.Context, s *slot) (*slot, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.State() == fair.Granted {
		return s, nil
	}
	b.queue.Abandon(s)
	delete(b.waits, s)
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, callError(false, ctx.Err())
	}
	return nil, ErrShed
}

func (b *bulkhead) leave(s *slot) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, next := range b.queue.Leave(s) {
		b.wake(next)
	}
}

// wake ends the wait of a slot. The caller holds b.mu.
func (b *bulkhead) wake(s *slot) {
	close(b.waits[s])
	delete(b.waits, s)
}

// load returns the number of calls in flight and in the queue.
func (b *bulkhead) load() (inFlight, queued int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.queue.UnderWay(), b.queue.Waiting()
}
