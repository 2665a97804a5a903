package onward

import (
	"context"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Log is the purge log that all instances share. A [redisstore.Store] implements it.
type Log interface {
	ReadGroup(ctx context.Context, group string, limit int) (redisstore.Batch, error)
	Acknowledge(ctx context.Context, group string, b redisstore.Batch, letter, everything string) error
	Rejected(ctx context.Context, group string) (letters []string, err error)
	Forget(ctx context.Context, group string, letters []string) error
	Take(ctx context.Context, key string, interval time.Duration, burst int) (redisstore.Allowance, error)
}

// Keys are the keys by which caches in front find responses.
type Keys interface {
	Purged(tags []string) []string // of all responses that show one of the tags
	All() string                   // of every response
}

// Plan is the part of a configuration that concerns this package.
type Plan struct {
	Targets   []Target
	PublicURL string    // base of the URLs that purges are about, without a slash at its end
	Languages i18n.Site // of the site that purges are about
	TagSpace  string    // of the tags of purges, see [cache.Options]
	Keys      Keys      // nil if no target needs keys
	Log       Log       // nil: there is no Redis
}

// transport makes calls. An [upstream.Service] implements it.
type transport interface {
	Send(ctx context.Context, method, url string, header http.Header, body []byte) (upstream.Response, error)
	Close()
}

// maxAnswer bounds the part that is read of a response, in bytes.
const maxAnswer = 64 << 10

// Deliverer passes purges on. It belongs to the process: a new configuration has another plan. It
// is safe for concurrent use.
type Deliverer struct {
	log  *zap.Logger
	dial func(Target) transport

	mu       sync.Mutex
	shared   Log // of the plan
	couriers []*Courier
}

// New returns a deliverer without targets. A nil log logs nothing.
func New(log *zap.Logger) *Deliverer {
	if log == nil {
		log = zap.NewNop()
	}
	return &Deliverer{log: log, dial: func(t Target) transport { return upstream.NewService(t.Timeout, maxAnswer) }}
}

// Purged passes on a purge that a cache of the process has applied. source is the log of the cache.
func (d *Deliverer) Purged(source Log, p cache.Purged) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if source != d.shared {
		p.At = 0 // of an earlier configuration: not in the log that is read now
	}
	for _, c := range d.couriers {
		c.purged(p)
	}
}

// Configure replaces the plan, and makes all later calls on new connections. What a target of the same
// name has not been sent yet is sent by the new plan.
func (d *Deliverer) Configure(p Plan) {
	d.mu.Lock()
	defer d.mu.Unlock()
	previous := map[string]*Courier{}
	for _, c := range d.couriers {
		c.stop()
		<-c.done
		c.transport.Close()
		previous[c.Name] = c
	}
	d.shared = p.Log
	d.couriers = nil
	for _, t := range p.Targets {
		c := d.newCourier(p, t, previous[t.Name])
		var ctx context.Context
		ctx, c.stop = context.WithCancel(context.Background())
		go c.run(ctx)
		d.couriers = append(d.couriers, c)
	}
}

// Close stops. What waits is sent once, until ctx ends.
func (d *Deliverer) Close(ctx context.Context) {
	var ends sync.WaitGroup
	for _, c := range d.Couriers() {
		ends.Go(func() { c.end(ctx) })
	}
	ends.Wait()
}

// Couriers returns the courier of each target. A nil deliverer has none.
func (d *Deliverer) Couriers() []*Courier {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.couriers
}
