package onward

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Plan is the part of a configuration that concerns this package.
type Plan struct {
	Targets   []Target
	PublicURL string         // base of the URLs that purges are about, without a final slash
	Languages i18n.Languages // of the site that purges are about
	TagSpace  string         // of the tags of purges, see [cache.Options]
	Keys      Keys           // nil if no target needs keys
	Log       Log            // nil: there is no Redis
}

// Log is the purge log that all instances share, such as a [redisstore.Store].
type Log interface {
	ReadGroup(ctx context.Context, group string, limit int) (redisstore.GroupRead, error)
	Acknowledge(ctx context.Context, group string, b redisstore.GroupRead, letter, everything string) error
	Rejected(ctx context.Context, group string) (letters []string, err error)
	Forget(ctx context.Context, group string, letters []string) error
	Take(ctx context.Context, key string, interval time.Duration, burst int) (redisstore.Allowance, error)
}

// Keys are the keys by which caches in front find responses.
type Keys interface {
	PurgedKeys(tags []string) []string // of all responses that show one of the tags
	All() string                       // of every response
}

// Courier delivers to one target of a plan.
type Courier struct {
	Target
	plan      Plan
	log       *zap.Logger
	transport transport
	limiter   *rate.Limiter // of this instance, while Redis does not keep the limit
	stop      context.CancelFunc
	done      chan struct{}
	wake      chan struct{} // has a value after something changed

	// Of the goroutine of run.
	failures int       // in a row
	retry    time.Time // time before which no call is made

	mu      sync.Mutex
	waiting batch // all that was to be delivered at the last check; for the report
	backlog
}

// backlog is the state that a courier leaves to the next one of its target.
type backlog struct {
	local    batch    // purges of this instance that may not be delivered
	unlogged bool     // some of them are not in the shared log
	sending  batch    // taken from them, to be delivered by this instance
	letters  []string // of purges that were refused while Redis did not answer, or without it
	state    Status

	// Deliveries that are made once more, because a response that was on its way to the target may
	// have arrived after the purge: between one and two intervals after they were accepted, together
	// with others. They are lost if the instance stops. Of the goroutine of run.
	fresh, aged batch
	due         time.Time // aged
}

// transport makes calls, as [upstream.Service] does.
type transport interface {
	Send(ctx context.Context, method, url string, header http.Header, body []byte) (upstream.Response, error)
	Close()
}

// group returns the group of the target in the log. Each tag space has a group of its own, which begins with a
// purge of everything: while instances of two tag spaces run side by side, each passes on a purge of the
// other as a purge of everything, since the instance cannot know all lists that the purge means.
func (c *Courier) group() string { return strings.TrimSuffix(c.Name+"."+c.plan.TagSpace, ".") }

// outcome is the outcome of a delivery. A delivery that is neither done nor refused is tried again.
type outcome struct {
	done, refused bool          // refused: the target will not accept the batch, however often the batch is sent
	retryAfter    time.Duration // that the target demands before the next call
	status        int           // of the response; 0 without a response
	reason        string        // without a URL and data from the target
}

// final reports whether the delivery is not tried again.
func (o outcome) final() bool { return o.done || o.refused }

// count counts a delivery, and logs when the target begins to fail and when it recovers.
func (c *Courier) count(b batch, o outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.state
	fault := c.state.Fault
	target := zap.String("target", c.Name)
	s.Last = time.Now().UTC()
	s.Fault = o.reason
	switch {
	case o.done:
		s.Done++
		if !b.again {
			s.Delivered += uint64(b.Purges)
		}
		if fault != "" {
			c.log.Info("the target accepts purges again", target)
		}
	case o.refused:
		s.Rejected++
		c.log.Error("the target has refused a purge", target, zap.Int("status", o.status),
			zap.Int("purges", b.Purges), zap.Bool("all", b.All), zap.Strings("first", b.Tags[:min(len(b.Tags), 20)]))
	default:
		s.Failed++
		if fault == "" {
			c.log.Warn("the target does not accept purges, which are sent again", target, zap.String("reason", o.reason))
		}
	}
}

// Status is the state of a target, as this instance knows it.
type Status struct {
	Name  string `json:"name"`
	Kind  Kind   `json:"type"`
	Alone bool   `json:"-"` // without Redis, or while Redis does not answer, each instance delivers its own

	Waiting int     `json:"waiting"`     // purges that this instance has made or read, and that may not be delivered
	Lag     float64 `json:"lag_seconds"` // age of the oldest of them
	Refused int     `json:"refused"`     // deliveries that the target has refused, and that nobody sent again

	Delivered uint64 `json:"delivered"` // purges, by this instance since it started
	Done      uint64 `json:"done"`      // deliveries
	Failed    uint64 `json:"failed"`    // likewise, which are tried again
	Rejected  uint64 `json:"rejected"`  // likewise, which are not

	Last  time.Time `json:"last"`  // delivery; zero before the first
	Fault string    `json:"fault"` // of the last delivery; "" after a success
}

// Status returns the state now.
func (c *Courier) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.state
	b := c.sending
	b.join(c.local)
	if b.Purges < c.waiting.Purges {
		b = c.waiting
	}
	s.Name = c.Name
	s.Kind = c.Kind
	s.Waiting = b.Purges
	s.Refused = s.Refused + len(c.letters)
	if b.Purges > 0 {
		s.Lag = max(0, time.Since(b.Time).Seconds())
	}
	return s
}
