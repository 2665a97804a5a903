package onward

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
)

// The times of a courier.
const (
	// A purge is sent no earlier than settle after it was made: a response that was on its way then
	// has arrived in the cache in front, so that the purge removes it there.
	settle = 250 * time.Millisecond
	joins  = settle / 8 // for others before that: a purge seldom comes alone

	// The intervals of looks without being woken: while a purge that this instance knows may not be
	// delivered, for its own or an instance that dies, and otherwise.
	lookSoon, lookEvery = time.Second, 10 * time.Second

	// The pause after a failure doubles from shortest to longest, less a random part of up to a half.
	// After it settle passes, for what is new. A target may demand longestAfter by Retry-After.
	shortestPause, longestPause, longestAfter = 200 * time.Millisecond, 5*time.Second - settle, time.Hour
)

// courier delivers to one target, from one configuration to the next.
type courier struct {
	log  *zap.Logger
	via  atomic.Pointer[route]
	stop context.CancelFunc
	done chan struct{}
	wake chan struct{} // has a value after something changed

	// Of the goroutine of run.
	failures int       // in a row
	retry    time.Time // no call before it

	// Deliveries that are made once more, because a response that was on its way to the target may
	// have arrived after the purge: between one and two intervals after they were accepted, together
	// with others. They are lost if the instance stops.
	fresh, aged batch
	due         time.Time // aged

	mu      sync.Mutex
	own     batch               // purges of this instance that are not in the shared log
	logged  batch               // likewise, that are in it, and may not be delivered
	newest  redisstore.Position // of all purges of the log that this instance knows
	sending batch               // taken from these, to be delivered by this instance
	read    batch               // all that was to be delivered at the last look; for the report
	letters []string            // of what was refused while Redis did not answer, or without it
	state   Status
}

// startCourier starts a courier. Without Redis it begins with a purge of everything.
func startCourier(log *zap.Logger, r *route) *courier {
	ctx, stop := context.WithCancel(context.Background())
	c := &courier{log: log, stop: stop, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	if c.via.Store(r); r.shared == nil {
		c.own = everything(0, time.Now())
	}
	go c.run(ctx)
	return c
}

// use changes the way to the target.
func (c *courier) use(r *route) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.via.Swap(r)
	if old.transport.Close(); old.shared != r.shared {
		c.own.join(c.logged.take())
	}
	c.signal()
}

// purged receives a purge that this process has applied.
func (c *courier) purged(p cache.Applied) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := single(p.Purge, p.At, time.Now()); p.Local && p.At == 0 {
		c.own.join(b)
	} else if p.Local {
		c.logged.join(b)
	}
	c.newest = max(c.newest, p.At)
	c.signal()
}

// signal wakes the courier.
func (c *courier) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run delivers until ctx ends.
func (c *courier) run(ctx context.Context) {
	defer close(c.done)
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(c.step(ctx)):
		case <-c.wake:
			sleep(ctx, max(joins, min(settle, time.Until(c.retry))))
		}
	}
}

// end stops the courier, and sends what waits once more. With Redis the rest is left to others.
func (c *courier) end(ctx context.Context) {
	c.stop()
	<-c.done
	c.retry = time.Time{}
	c.step(ctx)
	if s := c.status(); s.Alone && s.Waiting > 0 {
		c.log.Error("purges were not passed on", zap.String("target", s.Name), zap.Int("purges", s.Waiting))
	}
	c.via.Load().transport.Close()
}

// step delivers what waits, and returns after what time to look again. It reads the log in any case:
// what an instance does not read for a while is taken over by others.
func (c *courier) step(ctx context.Context) time.Duration {
	r := c.via.Load()
	b, read, wait := c.gather(ctx, r)
	if pause := time.Until(c.retry); pause > 0 {
		return min(pause, wait)
	}
	if b.Purges > 0 || len(read.Items) > 0 {
		if wait = c.pass(ctx, r, b, read); wait > 0 {
			return wait
		}
	}
	return min(wait, c.repeat(ctx, r))
}

// gather returns all that waits, what was read of it, and the interval until the next look.
func (c *courier) gather(ctx context.Context, r *route) (b batch, read redisstore.Batch, wait time.Duration) {
	var err error
	if r.shared != nil {
		read, err = r.shared.ReadGroup(ctx, r.group(), maxTags)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state.Alone, c.state.Refused = r.shared == nil || err != nil, read.Rejected; c.state.Alone {
		c.own.join(c.logged.take())
	} else if c.logged.at <= read.Done {
		c.logged = batch{}
	}
	if wait = lookEvery; err != nil || c.logged.Purges > 0 || c.newest > read.Done && r.shared != nil {
		wait = lookSoon
	}
	c.sending.join(c.own.take())
	b = c.sending
	if read.Missed {
		b.join(everything(read.End, time.Now()))
	}
	for _, i := range read.Items {
		b.join(batchOf(i, r.space))
	}
	c.read = b
	return b, read, wait
}

// pass delivers a batch. It returns the pause if it was not delivered, or is not acknowledged.
func (c *courier) pass(ctx context.Context, r *route, b batch, read redisstore.Batch) (pause time.Duration) {
	o := outcome{done: true}
	if b.Purges > 0 {
		if o, pause = c.send(ctx, r, b); pause > 0 {
			return pause
		}
	}
	letter, all := encode(b, o)
	kept := false
	if r.shared != nil && (read.Missed || len(read.Items) > 0 || o.refused) {
		if kept = r.shared.Acknowledge(ctx, r.group(), read, letter, all) == nil; !kept {
			pause = lookSoon // it will be sent again
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.refused && !kept {
		c.keep(letter, all)
	}
	c.sending, c.read = batch{}, batch{}
	return pause
}

// send delivers a batch if the limit admits it. Else, and after a failure, it returns a pause.
func (c *courier) send(ctx context.Context, r *route, b batch) (o outcome, pause time.Duration) {
	if wait := r.admit(ctx); wait > 0 {
		c.retry = time.Now().Add(wait)
		return o, min(wait, lookEvery)
	}
	sleep(ctx, settle)
	if o = c.deliver(ctx, r, b); !o.done && !o.refused {
		pause = min(longestPause, shortestPause<<min(c.failures, 8))
		pause = max(pause/2+rand.N(pause/2+1), min(o.after, longestAfter))
		c.failures, c.retry = c.failures+1, time.Now().Add(pause)
		return o, min(pause, lookEvery)
	}
	if c.failures = 0; o.done && r.Repeat > 0 && !b.again {
		if c.fresh.Purges+c.aged.Purges == 0 {
			c.due = time.Now().Add(r.Repeat)
		}
		c.fresh.join(b)
	}
	return o, 0
}

// repeat makes deliveries once more, and returns after what time to look again. One that the target
// refuses is not listed: it has accepted the same before.
func (c *courier) repeat(ctx context.Context, r *route) time.Duration {
	wait := time.Until(c.due)
	if c.fresh.Purges+c.aged.Purges == 0 || wait > lookEvery {
		return lookEvery
	}
	if wait > 0 {
		return wait
	}
	if c.aged.Purges > 0 {
		if _, pause := c.send(ctx, r, c.aged); pause > 0 {
			return pause
		}
	}
	c.aged, c.due = c.fresh.take(), time.Now().Add(r.Repeat)
	c.aged.at, c.aged.again = 0, true
	return 0
}
