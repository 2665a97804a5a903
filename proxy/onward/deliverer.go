package onward

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Log is the purge log that all instances share. A [redisstore.Store] implements it.
type Log interface {
	ReadGroup(ctx context.Context, group string, limit int) (redisstore.Batch, error)
	Acknowledge(ctx context.Context, group string, b redisstore.Batch, letter, all string) error
	Rejected(ctx context.Context, group string) (letters []string, err error)
	Forget(ctx context.Context, group string, letters []string) error
	Take(ctx context.Context, key string, every time.Duration, burst int) (redisstore.Allowance, error)
}

// Keys are the keys by which caches in front find responses.
type Keys interface {
	Purged(tags []string) []string // of all responses that show one of the tags
	All() string                   // of every response
}

// Plan is what a configuration wants.
type Plan struct {
	Targets  []Target
	Site     Site
	TagSpace string  // of the tags of purges, see [cache.Options]
	Keys     Keys    // nil if no target needs keys
	Log      Log     // nil: there is no Redis
	Source   *Source // of the cache in use
}

// transport makes calls. An [upstream.Service] implements it.
type transport interface {
	Send(ctx context.Context, method, url string, header http.Header, body []byte) (upstream.Response, error)
	Close()
}

// route is the way to a target.
type route struct {
	Target
	site      Site
	space     string
	keys      Keys
	shared    Log // nil: there is no Redis
	transport transport
	limiter   *rate.Limiter // of this instance, while Redis does not keep the limit
}

// maxAnswer bounds what is read of a response, in bytes.
const maxAnswer = 64 << 10

// Deliverer passes purges on. It belongs to the process: a new configuration has another plan. It
// is safe for concurrent use.
type Deliverer struct {
	log  *zap.Logger
	dial func(Target) transport

	mu       sync.Mutex
	source   *Source
	couriers []*courier
}

// New returns a deliverer without targets. A nil log logs nothing.
func New(log *zap.Logger) *Deliverer {
	if log == nil {
		log = zap.NewNop()
	}
	return &Deliverer{log: log, dial: func(t Target) transport { return upstream.NewService(t.Timeout, maxAnswer) }}
}

// Source is a cache whose purges are passed on.
type Source struct{ to *Deliverer }

// Source returns a source, for [cache.Options].
func (d *Deliverer) Source() *Source { return &Source{d} }

// Purged implements the function of [cache.Options].
func (s *Source) Purged(p cache.Applied) {
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	if s.to.source != s {
		p.At = 0 // of an earlier configuration: not in the log that is read now
	}
	for _, c := range s.to.couriers {
		c.purged(p)
	}
}

// Configure replaces the plan. What a target of the same name has not been sent yet is sent by the
// new plan.
func (d *Deliverer) Configure(p Plan) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := slices.Clone(d.couriers)
	d.source, d.couriers = p.Source, nil
	for _, t := range p.Targets {
		i := slices.IndexFunc(before, func(c *courier) bool { return c.via.Load().Name == t.Name })
		if i < 0 {
			d.couriers = append(d.couriers, startCourier(d.log, d.route(p, t)))
			continue
		}
		before[i].use(d.route(p, t))
		d.couriers, before = append(d.couriers, before[i]), slices.Delete(before, i, i+1)
	}
	for _, c := range before {
		c.stop()
		<-c.done
	}
}

func (d *Deliverer) route(p Plan, t Target) *route {
	t = t.withDefaults()
	return &route{t, p.Site, p.TagSpace, p.Keys, p.Log, d.dial(t), rate.NewLimiter(rate.Every(t.Limit.every()), t.Limit.Calls)}
}

// group returns the group of the target in the log. Each tag space has its own, which begins with a
// purge of everything: while instances of two of them run side by side, those of each pass on what the
// others purge, as everything. Nobody else knows all that it may be.
func (r *route) group() string { return strings.TrimSuffix(r.Name+"."+r.space, ".") }

// Renew makes later calls to all targets on new connections.
func (d *Deliverer) Renew() {
	for _, c := range d.all() {
		c.via.Load().transport.Close()
	}
}

// Close stops. What waits is sent once, until ctx ends.
func (d *Deliverer) Close(ctx context.Context) {
	var ends sync.WaitGroup
	for _, c := range d.all() {
		ends.Go(func() { c.end(ctx) })
	}
	ends.Wait()
}

// Statuses returns the state of each target.
func (d *Deliverer) Statuses() []Status {
	all := []Status{}
	for _, c := range d.all() {
		all = append(all, c.status())
	}
	return all
}

// Letters returns what each target has refused, by its name.
func (d *Deliverer) Letters(ctx context.Context) map[string][]Letter {
	all := map[string][]Letter{}
	for _, c := range d.all() {
		r := c.via.Load()
		all[r.Name], _ = c.refused(ctx, r)
	}
	return all
}

// Replay sends what targets have refused once more.
func (d *Deliverer) Replay(ctx context.Context) []Replayed {
	all := []Replayed{}
	for _, c := range d.all() {
		all = append(all, c.replay(ctx))
	}
	return all
}

func (d *Deliverer) all() []*courier {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.couriers
}
