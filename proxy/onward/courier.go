package onward

import (
	"context"
	"math/rand/v2"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// The times of a courier.
const (
	// A purge is sent no earlier than settle after its making: a response that was on its way then
	// has arrived in the cache in front, so that the purge removes the response there.
	settle = 250 * time.Millisecond
	joins  = settle / 8 // for others before that: a purge seldom comes alone

	// The intervals of checks without being woken: while a purge of this instance may not be delivered,
	// and otherwise, for purges that instances left when they died.
	checkSoon  = time.Second
	checkEvery = 10 * time.Second

	// The pause after a failure doubles from shortest to longest, less a random part of up to a half.
	// After the pause settle passes, for new purges: both together are no longer than an instance may leave
	// its purges alone, or another instance would take them over.
	shortestPause = 200 * time.Millisecond
	longestPause  = redisstore.Abandoned - settle

	longestAfter = time.Hour // that a target may demand by Retry-After
)

// receive adds a purge that this process has applied to the waiting ones.
func (c *Courier) receive(p cache.Purged) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.Local {
		c.local.join(single(p.Purge, p.At, time.Now()))
		c.unlogged = c.unlogged || p.At == 0
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run delivers until ctx ends.
func (c *Courier) run(ctx context.Context) {
	defer close(c.done)
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(c.step(ctx)):
		case <-c.wake:
			upstream.Sleep(ctx, max(joins, min(settle, c.pause())))
		}
	}
}

// end stops the courier, and sends the waiting purges once more. With Redis the rest is left to others.
func (c *Courier) end(ctx context.Context) {
	c.stop()
	<-c.done
	c.retry = time.Time{}
	c.step(ctx)
	s := c.Status()
	if s.Alone && s.Waiting > 0 {
		c.log.Error("purges were not passed on", zap.String("target", s.Name), zap.Int("purges", s.Waiting))
	}
	c.transport.Close()
}

// step delivers the waiting purges, and returns the wait until the next step. Each step reads the log:
// other instances take over purges of an instance that does not read for a while.
func (c *Courier) step(ctx context.Context) (wait time.Duration) {
	b, groupRead, wait := c.gather(ctx)
	waits := b.Purges > 0 || len(groupRead.Items) > 0
	if waits && c.pause() <= 0 {
		c.pass(ctx, b, groupRead)
	}
	if c.pause() <= 0 {
		c.repeat(ctx)
	}
	switch {
	case c.pause() > 0:
		return min(wait, c.pause())
	case waits:
		return 0 // to see the delivery
	case c.fresh.Purges+c.aged.Purges > 0:
		return min(wait, time.Until(c.due))
	}
	return wait
}

// pause returns how long no call may be made.
func (c *Courier) pause() time.Duration { return time.Until(c.retry) }

// gather returns all waiting purges, the part that was read from the log, and the interval until the next check.
func (c *Courier) gather(ctx context.Context) (b batch, groupRead redisstore.GroupRead, wait time.Duration) {
	var err error
	if c.plan.Log != nil {
		groupRead, err = c.plan.Log.ReadGroup(ctx, c.group(), maxTags)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Alone = c.plan.Log == nil || err != nil
	c.state.Refused = groupRead.Rejected
	if c.state.Alone || c.unlogged {
		c.sending.join(c.local)
		c.local = batch{}
		c.unlogged = false
	} else if c.local.position <= groupRead.Done {
		c.local = batch{}
	}
	wait = checkEvery
	if err != nil || c.local.Purges > 0 {
		wait = checkSoon
	}
	b = c.sending
	for _, i := range groupRead.Items {
		b.join(batchOf(i, c.plan.TagSpace))
	}
	c.waiting = b
	return b, groupRead, wait
}

// pass delivers a batch, and acknowledges the part that was read from the log.
func (c *Courier) pass(ctx context.Context, b batch, groupRead redisstore.GroupRead) {
	o := outcome{done: true}
	if b.Purges > 0 {
		o = c.send(ctx, b)
		if !o.final() {
			return
		}
	}
	letter, everything := encode(b, o)
	stored := false
	if c.plan.Log != nil && (len(groupRead.Items) > 0 || o.refused) {
		stored = c.plan.Log.Acknowledge(ctx, c.group(), groupRead, letter, everything) == nil
		if !stored {
			c.retry = time.Now().Add(checkSoon) // the batch will be sent again
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.refused && !stored {
		c.keep(letter, everything)
	}
	c.sending = batch{}
	c.waiting = batch{}
	if b.Purges > 0 && o.done && c.Repeat > 0 {
		if c.fresh.Purges+c.aged.Purges == 0 {
			c.due = time.Now().Add(c.Repeat)
		}
		c.fresh.join(b)
	}
}

// repeat makes deliveries once more, if their time has come. A refusal gets no letter: the target has accepted the
// same purges before.
func (c *Courier) repeat(ctx context.Context) {
	if c.fresh.Purges+c.aged.Purges == 0 || time.Now().Before(c.due) {
		return
	}
	if c.aged.Purges == 0 || c.send(ctx, c.aged).final() {
		c.aged = c.fresh
		c.fresh = batch{}
		c.due = time.Now().Add(c.Repeat)
		c.aged.again = true
	}
}

// send delivers a batch if the limit admits the call. Else, and after a failure, send sets the time of the next try.
func (c *Courier) send(ctx context.Context, b batch) (o outcome) {
	wait := c.admit(ctx)
	if wait > 0 {
		c.retry = time.Now().Add(wait)
		return o
	}
	upstream.Sleep(ctx, settle)
	o = c.deliver(ctx, b)
	if o.final() {
		c.failures = 0
		return o
	}
	pause := min(longestPause, shortestPause<<min(c.failures, 8))
	c.failures++
	c.retry = time.Now().Add(max(pause/2+rand.N(pause/2+1), min(o.retryAfter, longestAfter)))
	return o
}
