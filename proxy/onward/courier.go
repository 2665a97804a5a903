package onward

import (
	"context"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Log is the purge log that all instances share. A [redisstore.Store] implements it.
type Log interface {
	HoldCursor(ctx context.Context, name string, limit int) (redisstore.Segment, error)
	MoveCursor(ctx context.Context, name string, s redisstore.Segment, n int, rejected redisstore.Rejection) (held bool, err error)
	LeaveCursor(ctx context.Context, name string) error
	Rejected(ctx context.Context, name string) ([][]byte, error)
	Forget(ctx context.Context, name string, records [][]byte) error
	Take(ctx context.Context, key string, every time.Duration, burst int) (redisstore.Allowance, error)
	Now() time.Time
}

// Keys are the keys by which caches in front find responses.
type Keys interface {
	Purged(tags []string) []string // of all responses that show one of the tags
	All() string                   // of every response
}

// transport makes calls. An [upstream.Service] implements it.
type transport interface {
	Send(ctx context.Context, method, url string, header http.Header, body []byte) (upstream.Response, error)
	Close() // closes the connections that are not in use
}

// courier delivers to one target.
type courier struct {
	ctx       context.Context // of its calls; ends when the deliverer has no time left
	target    Target
	site      Site
	keys      Keys
	shared    Log // nil: there is no Redis
	settle    time.Duration
	transport transport
	log       *zap.Logger

	last    bool // nothing replaces it when it stops; set before it is stopped
	own     own
	wake    chan struct{} // has a value after something changed
	limiter limiter
	sending sync.Mutex // one delivery at a time

	mu       sync.Mutex
	newest   redisstore.Position // of the log, that this instance knows
	letters  [][]byte            // in memory: of deliveries that are not from the log
	state    Status
	waiting  int       // purges of the log that this instance is to deliver, as far as it has read
	oldest   time.Time // when the first of them was made; zero if there is none
	down     bool      // the log could not be read
	failures int       // in a row
	retry    time.Time // no call before it
	repeats  repeats
}

// paused returns the rest of the pause after a failure.
func (c *courier) paused() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(0, time.Until(c.retry))
}

// after returns the wait after a delivery, and sets the pause after a failure.
func (c *courier) after(o outcome) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.done || o.refused {
		c.failures, c.retry = 0, time.Time{}
		return 0
	}
	c.failures++
	pause := pauseAfter(c.failures, o.after)
	c.retry = time.Now().Add(pause)
	return pause
}

func (c *courier) setDown(down bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = down
}

// signal wakes the courier.
func (c *courier) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}
