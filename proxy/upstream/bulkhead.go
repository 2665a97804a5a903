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

// Class says how much is lost with a call that is not made.
type Class = fair.Rank

const (
	Refresh = fair.Refresh
	Read    = fair.Read
	Write   = fair.Write
)

// bulkhead bounds the calls under way to one host, and those that wait for one
// of them to end, and shares both among the askers.
type bulkhead struct {
	timeout time.Duration

	mu    sync.Mutex
	queue *fair.Queue[netip.Addr]
	waits map[*ticket]chan struct{} // closed once the ticket no longer waits
}

type ticket = fair.Ticket[netip.Addr]

func newBulkhead(l fair.Limits, timeout time.Duration) *bulkhead {
	return &bulkhead{timeout: timeout, queue: fair.NewQueue[netip.Addr](l), waits: map[*ticket]chan struct{}{}}
}

// enter takes a place. It gives errShed if there is none in time, and the error
// of ctx if that ends first. Who got a place gives it back with leave.
func (b *bulkhead) enter(ctx context.Context, r Class) (*ticket, error) {
	t, changed := b.begin(ClientOf(ctx), r)
	if changed == nil {
		return b.outcome(ctx, t)
	}
	stop := cache.OnJoin(ctx, func(other any) { b.join(t, other.(netip.Addr)) })
	defer stop()
	timer := time.NewTimer(b.timeout)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
	}
	return b.outcome(ctx, t)
}

// begin gives a ticket, and what closes when it no longer waits; nil if it does not.
func (b *bulkhead) begin(who netip.Addr, r Class) (*ticket, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, displaced := b.queue.Enter(who, r)
	if displaced != nil {
		b.wake(displaced)
	}
	if t.State() != fair.Waiting {
		return t, nil
	}
	changed := make(chan struct{})
	b.waits[t] = changed
	return t, changed
}

// join has a call go in another asker's turn too, who waits for what it brings.
func (b *bulkhead) join(t *ticket, other netip.Addr) {
	b.mu.Lock()
	defer b.mu.Unlock()
	waited := t.State() == fair.Waiting
	if b.queue.Join(t, other); waited && t.State() != fair.Waiting {
		b.wake(t)
	}
}

// outcome is what became of a ticket. One that waits is given up.
func (b *bulkhead) outcome(ctx context.Context, t *ticket) (*ticket, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.State() == fair.Granted {
		return t, nil
	}
	b.queue.Abandon(t)
	delete(b.waits, t)
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, callError(false, ctx.Err())
	}
	return nil, ErrShed
}

func (b *bulkhead) leave(t *ticket) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, next := range b.queue.Leave(t) {
		b.wake(next)
	}
}

// wake is for who holds the lock.
func (b *bulkhead) wake(t *ticket) {
	close(b.waits[t])
	delete(b.waits, t)
}

// load is how many calls are under way and wait.
func (b *bulkhead) load() (underWay, waiting int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.queue.UnderWay(), b.queue.Waiting()
}
