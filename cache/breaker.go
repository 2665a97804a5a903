package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// probeEvery is the pause between two probes. With a probe's own 500 ms a
// recovery is noticed within a second.
const probeEvery = 200 * time.Millisecond

// breaker keeps calls from something that is down. The first failure opens it:
// a probe begins at once, so a failure that was none costs some misses for one
// round trip, and one that was real costs nobody else anything.
//
// Its state is a generation, even while closed and odd while open. A failure
// counts only in the generation that its call was let through in: a call that
// began before a recovery and fails after it does not undo it.
type breaker struct {
	ctx    context.Context // ends the probing
	probe  func(context.Context) error
	opened func() // called on opening, if not nil; must not block

	generation    atomic.Uint64
	trips, probes atomic.Uint64

	mu      sync.Mutex // of Add before Wait
	probing sync.WaitGroup
}

func newBreaker(ctx context.Context, probe func(context.Context) error) *breaker {
	return &breaker{ctx: ctx, probe: probe}
}

// allow says whether a call may be made, and in which generation.
func (b *breaker) allow() (generation uint64, ok bool) {
	g := b.generation.Load()
	return g, g%2 == 0
}

func (b *breaker) isOpen() bool { return b.generation.Load()%2 == 1 }

// trip opens the breaker, if it is still the generation that allow gave.
func (b *breaker) trip(generation uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil || !b.generation.CompareAndSwap(generation, generation+1) {
		return
	}
	b.trips.Add(1)
	if b.opened != nil {
		b.opened()
	}
	b.probing.Go(b.recover)
}

// recover probes until an answer, and closes the breaker.
func (b *breaker) recover() {
	for b.ctx.Err() == nil {
		b.probes.Add(1)
		if b.probe(b.ctx) == nil {
			b.generation.Add(1)
			return
		}
		pause(b.ctx, probeEvery)
	}
}

// wait returns when no probe runs and none will. The context must have ended.
func (b *breaker) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing.Wait()
}

// pause waits for d or the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
