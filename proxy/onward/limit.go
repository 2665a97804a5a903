package onward

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// The pause after a failure doubles from shortest to longest, less a random part of up to a half.
const (
	shortestPause = 200 * time.Millisecond
	longestPause  = 30 * time.Second
	longestAfter  = time.Hour // that a target may demand by Retry-After
)

// pauseAfter returns the pause after so many failures in a row; asked is what the target demands.
func pauseAfter(failures int, asked time.Duration) time.Duration {
	pause := longestPause
	if failures < 8 {
		pause = min(pause, shortestPause<<(failures-1))
	}
	return max(pause/2+rand.N(pause/2+1), min(asked, longestAfter))
}

// every returns the interval at which a call is regained.
func (l Limit) every() time.Duration { return l.Window / time.Duration(max(1, l.Calls)) }

// limiter keeps a limit in this process, for when Redis does not (the generic cell rate algorithm).
type limiter struct {
	mu   sync.Mutex
	full time.Time // when all calls are available again
}

// take takes a call, or returns the wait until there is one.
func (l *limiter) take(limit Limit, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.full.Before(now) {
		l.full = now
	}
	after := l.full.Add(limit.every())
	if wait = after.Sub(now.Add(limit.Window)); wait > 0 {
		return wait
	}
	l.full = after
	return 0
}

// admit takes a call of the target's limit, of all instances if Redis answers. It returns the wait
// until there is one, and then has taken none.
func (c *courier) admit(ctx context.Context) (wait time.Duration) {
	limit := c.target.Limit
	if limit.Calls == 0 {
		return 0
	}
	if c.shared != nil {
		if a, err := c.shared.Take(ctx, "onward "+c.target.Name, limit.every(), limit.Calls); err == nil {
			return a.Wait
		}
	}
	return c.limiter.take(limit, time.Now())
}

// The intervals at which a courier looks without being woken: while another instance has not
// delivered what this one knows of, and otherwise.
const (
	watchEvery = 100 * time.Millisecond
	lookEvery  = 5 * time.Second
)

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
