package redisstore

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// probeEvery is the pause between two probes. With a probe's own timeout of 500 ms a
// recovery is noticed within a second.
const probeEvery = 200 * time.Millisecond

// lateInARow is the number of consecutive timeouts, with no answer between them, that opens
// the breaker. It is at most the number of calls in progress when a busy Redis hangs: they
// time out together, and the calls after them find the breaker open.
const lateInARow = 4

// breaker is a circuit breaker. A failed call opens it, and so does a timeout if no other
// call was answered meanwhile. A timeout among answers is only slow: lateInARow counts it.
//
// Probing begins at once, so that opening it in error costs some misses for one round trip.
//
// Its state is a generation, even while closed and odd while open. A failure counts only in
// the generation in which its call was allowed: a call that began before a recovery and
// fails after it does not open the breaker again.
type breaker struct {
	ctx    context.Context // stops probing
	probe  func(context.Context) error
	opened func() // called on opening, if not nil; must not block

	changed func(cause error) // see [Options.Changed]; nil disables it

	generation    atomic.Uint64
	trips, probes atomic.Uint64

	start  time.Time    // what answer counts from
	answer atomic.Int64 // time of the last one, in nanoseconds since start
	row    atomic.Int64 // consecutive timeouts since

	open atomic.Pointer[chan struct{}] // closed while open

	mu      sync.Mutex // orders Go before Wait
	probing sync.WaitGroup
}

func newBreaker(ctx context.Context, probe func(context.Context) error) *breaker {
	b := &breaker{ctx: ctx, probe: probe, start: time.Now()}
	b.open.Store(new(make(chan struct{})))
	return b
}

// allow reports whether a call may be made, and in which generation.
func (b *breaker) allow() (generation uint64, ok bool) {
	g := b.generation.Load()
	return g, g%2 == 0
}

func (b *breaker) isOpen() bool { return b.generation.Load()%2 == 1 }

// whenOpen returns a channel that is closed when the breaker opens, or is open already.
func (b *breaker) whenOpen() <-chan struct{} { return *b.open.Load() }

// answered is called after every answer.
func (b *breaker) answered() {
	b.answer.Store(int64(time.Since(b.start)))
	if b.row.Load() != 0 { // a write to a shared line would cost every call
		b.row.Store(0)
	}
}

// late is called when a call has timed out.
func (b *breaker) late(generation uint64, began time.Time) {
	alone := b.answer.Load() <= int64(began.Sub(b.start))
	if b.row.Add(1) >= lateInARow || alone {
		b.trip(generation, context.DeadlineExceeded)
	}
}

// trip opens the breaker if the generation is still the one that allow returned.
func (b *breaker) trip(generation uint64, cause error) {
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
	b.probing.Go(func() { b.recover(cause) })
}

// recover probes until there is an answer, and then closes the breaker.
func (b *breaker) recover(cause error) {
	b.report(cause)
	for b.ctx.Err() == nil {
		b.probes.Add(1)
		if b.probe(b.ctx) == nil {
			b.report(nil)
			b.shut()
			return
		}
		pause(b.ctx, probeEvery)
	}
}

// report is called before the breaker closes, so that reports are in order.
func (b *breaker) report(cause error) {
	if b.changed != nil {
		b.changed(cause)
	}
}

func (b *breaker) shut() {
	b.row.Store(0)
	b.open.Store(new(make(chan struct{})))
	b.generation.Add(1)
}

// wait waits for the probes to end. The context must be done.
func (b *breaker) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing.Wait()
}

// pause waits for d, or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
