package redisstore

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// probeEvery is the pause between two probes. With a probe's own 500 ms a
// recovery is noticed within a second.
const probeEvery = 200 * time.Millisecond

// lateInARow is how many calls may run out of time one after the other, while
// none is answered, before that cannot be chance. It is at most the number of
// calls that are under way at once when a Redis that is busy hangs: they run out
// of time together, and those that come after them find the breaker open.
const lateInARow = 4

// breaker keeps calls from something that is down. A refusal opens it, and so
// does a call that ran out of time when there was no answer to any other
// meanwhile. A late one among answers is only slow: it counts in a row.
//
// A probe begins at once, so an opening that was wrong costs some misses for one
// round trip, and one that was right costs nobody else anything.
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

	start  time.Time    // what lastAnswer counts from
	answer atomic.Int64 // when the last one came, in nanoseconds
	row    atomic.Int64 // of late calls since

	open atomic.Pointer[chan struct{}] // closed while open

	mu      sync.Mutex // of Add before Wait
	probing sync.WaitGroup
}

func newBreaker(ctx context.Context, probe func(context.Context) error) *breaker {
	b := &breaker{ctx: ctx, probe: probe, start: time.Now()}
	b.open.Store(new(make(chan struct{})))
	return b
}

// allow says whether a call may be made, and in which generation.
func (b *breaker) allow() (generation uint64, ok bool) {
	g := b.generation.Load()
	return g, g%2 == 0
}

func (b *breaker) isOpen() bool { return b.generation.Load()%2 == 1 }

// whenOpen gives a channel that is closed from the next opening on, or already.
func (b *breaker) whenOpen() <-chan struct{} { return *b.open.Load() }

// answered is to be called after every answer.
func (b *breaker) answered() {
	b.answer.Store(int64(time.Since(b.start)))
	if b.row.Load() != 0 { // to write what all read would cost every call
		b.row.Store(0)
	}
}

// late is to be called when a call ran out of time.
func (b *breaker) late(generation uint64, began time.Time) {
	alone := b.answer.Load() <= int64(began.Sub(b.start))
	if b.row.Add(1) >= lateInARow || alone {
		b.trip(generation)
	}
}

// trip opens the breaker, if it is still the generation that allow gave.
func (b *breaker) trip(generation uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil || !b.generation.CompareAndSwap(generation, generation+1) {
		return
	}
	b.trips.Add(1)
	close(*b.open.Load())
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
			b.shut()
			return
		}
		pause(b.ctx, probeEvery)
	}
}

func (b *breaker) shut() {
	b.row.Store(0)
	b.open.Store(new(make(chan struct{})))
	b.generation.Add(1)
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
