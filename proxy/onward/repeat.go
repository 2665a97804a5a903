package onward

import (
	"context"
	"time"
)

// repeats are deliveries that are made once more, because a response that was on its way to the
// target may have arrived after the purge. Each is made between one and two intervals after it was
// accepted, together with others. All that wait are two batches. They are lost if the instance stops.
type repeats struct {
	every      time.Duration // 0 disables them
	next, then batch         // then is what is due one interval after next
	at         time.Time     // when next is due
}

// add adds a batch that the target has accepted.
func (r *repeats) add(b batch, now time.Time) {
	if r.every == 0 || b.again {
		return
	}
	b.at, b.again, b.replay = 0, true, false
	if r.next.empty() {
		r.next, r.at = b, now.Add(r.every)
		return
	}
	r.then.join(b)
}

// due returns what is due, or how long the first will take to be.
func (r *repeats) due(now time.Time) (b batch, wait time.Duration) {
	switch rest := r.at.Sub(now); {
	case r.next.empty():
		return b, lookEvery
	case rest > 0:
		return b, min(rest, lookEvery)
	}
	return r.next, 0
}

// remove removes what was due.
func (r *repeats) remove(now time.Time) {
	r.next, r.then, r.at = r.then, batch{}, now.Add(r.every)
}

// join adds another batch.
func (b *batch) join(other batch) {
	if b.empty() {
		*b = other
		return
	}
	count := b.count + other.count
	b.add(other.Purge, 0, other.since)
	b.count = count
}

// deliverAgain makes deliveries once more. One that the target refuses is not listed: it has
// accepted the same before.
func (c *courier) deliverAgain(stopping context.Context) time.Duration {
	c.mu.Lock()
	b, wait := c.repeats.due(time.Now())
	c.mu.Unlock()
	if b.empty() {
		return wait
	}
	if wait := c.admit(c.ctx); wait > 0 {
		return wait
	}
	o := c.deliver(stopping, c.ctx, b)
	if o.done || o.refused {
		c.mu.Lock()
		c.repeats.remove(time.Now())
		c.mu.Unlock()
	}
	return c.after(o)
}
