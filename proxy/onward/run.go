package onward

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// run delivers until stopping ends. Calls continue until c.ctx ends.
func (c *courier) run(stopping context.Context) {
	for stopping.Err() == nil {
		wait := c.step(stopping)
		if wait == 0 {
			continue
		}
		t := time.NewTimer(wait)
		select {
		case <-stopping.Done():
		case <-t.C:
		case <-c.wake:
			sleep(stopping, min(wait, c.settle/8)) // a purge seldom comes alone
		}
		t.Stop()
	}
	c.leave()
}

// leave leaves the log to the other instances. If nothing replaces the courier, it delivers once
// what nobody else would.
func (c *courier) leave() {
	defer c.transport.Close()
	if c.shared != nil {
		defer func() { _ = c.shared.LeaveCursor(c.ctx, c.target.Name) }() // if it fails they notice that this instance is gone
	}
	if !c.last {
		return
	}
	b, list, _ := c.own.due(time.Now(), 0, c.shared == nil)
	if b.empty() {
		return
	}
	if c.admit(c.ctx) == 0 {
		if o := c.deliver(c.ctx, c.ctx, b); o.done {
			c.own.remove(list)
			return
		}
	}
	c.log.Error("purges were not passed on", zap.String("target", c.target.Name), zap.Int("purges", b.count))
}

// step delivers what is due, and returns after what time to look again.
func (c *courier) step(stopping context.Context) time.Duration {
	if wait := c.paused(); wait > 0 {
		return wait
	}
	wait := c.deliverNew(stopping)
	if pause := c.paused(); pause > 0 {
		return pause
	}
	return min(wait, c.deliverAgain(stopping))
}

// deliverNew delivers what is due and was not sent before.
func (c *courier) deliverNew(stopping context.Context) time.Duration {
	if c.shared == nil {
		return c.deliverOwn(stopping, true)
	}
	segment, err := c.shared.HoldCursor(c.ctx, c.target.Name, maxTags)
	c.setDown(err != nil)
	if err != nil {
		return min(c.deliverOwn(stopping, true), watchEvery)
	}
	c.own.passed(segment.At)
	c.reach(segment)
	return min(c.deliverOwn(stopping, false), c.deliverShared(stopping, segment))
}

// deliverOwn delivers purges of this instance: all of them, or those that are not in the shared
// log.
func (c *courier) deliverOwn(stopping context.Context, all bool) time.Duration {
	b, list, wait := c.own.due(time.Now(), c.settle, all)
	if b.empty() {
		return wait
	}
	if wait := c.admit(c.ctx); wait > 0 {
		return wait
	}
	o := c.deliver(stopping, c.ctx, b)
	if o.refused {
		c.keep(letterOf(b, o))
	}
	if o.done || o.refused {
		c.own.remove(list)
	}
	return c.after(o)
}
