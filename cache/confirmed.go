package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// confirmation is as of when this process knows the end of the purge log.
//
// A write is answered once every instance that follows the log has applied its purge,
// and else after the purge wait. So who knows the end of the log as of a moment within
// the purge wait knows the purge of every write that has been answered.
type confirmation struct {
	wait time.Duration // the purge wait

	asOf atomic.Pointer[time.Time] // nil: not known yet
	lost atomic.Bool               // the log could not be read since

	mu   sync.Mutex
	news chan struct{} // closed by the next change; nil: nobody waits
}

// holds reports whether the end of the log is known at now. Both clocks must say so:
// the monotonic one may stand still while the machine is suspended, and the other one
// may be set back.
func (c *confirmation) holds(now time.Time) bool {
	asOf := c.asOf.Load()
	return asOf != nil && c.within(now.Sub(*asOf)) && c.within(now.Round(0).Sub(asOf.Round(0)))
}

func (c *confirmation) within(d time.Duration) bool { return 0 <= d && d <= c.wait }

func (c *confirmation) confirm(asOf time.Time) {
	c.asOf.Store(&asOf)
	c.lost.Store(false)
	c.tell()
}

func (c *confirmation) lose() {
	c.lost.Store(true)
	c.tell()
}

func (c *confirmation) tell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.news != nil {
		close(c.news)
		c.news = nil
	}
}

// changes gives a channel that closes with the next change.
func (c *confirmation) changes() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.news == nil {
		c.news = make(chan struct{})
	}
	return c.news
}

// current reports whether memory may be believed at now, without a look at the log. It
// may while the log cannot be read: there is nothing to look at. [Options.Ask] is for who
// does not want that.
func (r *remote) current(now time.Time) bool {
	return r.redis == nil || r.confirmed.holds(now) || r.down() && !r.cache.options.Ask
}

func (r *remote) down() bool { return r.confirmed.lost.Load() }

// catchUp is for when memory may not be believed at once. It waits until it may: until the end of the log is known, or it is
// known that the log cannot be read. That takes two tries, for the first failure may come
// of a pause of this process. It waits no longer than the purge wait if all other calls on
// Redis say that it is down. It reports whether to believe memory.
func (r *remote) catchUp(ctx context.Context) bool {
	over := time.NewTicker(r.confirmed.wait)
	defer over.Stop()
	for {
		changed := r.confirmed.changes()
		switch {
		case r.current(r.cache.options.Clock()):
			return true
		case r.down():
			return false
		}
		select {
		case <-changed:
		case <-over.C:
			if r.redis.breaker.isOpen() {
				return !r.cache.options.Ask
			}
		case <-ctx.Done():
			return false // nobody is there to be answered
		}
	}
}
