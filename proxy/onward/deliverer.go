package onward

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Plan is what a configuration wants.
type Plan struct {
	Targets []Target
	Site    Site
	Keys    Keys          // nil if no target needs keys
	Settle  time.Duration // how old a purge is when it is sent: cache.purge_wait
	Log     Log           // nil: there is no Redis
	Source  *Source       // of the cache in use
}

// Deliverer passes purges on. It belongs to the process: a new configuration has another plan. It
// is safe for concurrent use.
type Deliverer struct {
	log  *zap.Logger
	dial func(Target) transport

	mu       sync.Mutex
	source   *Source
	couriers []*courier
	running  []*running
}

// running is a courier that runs.
type running struct {
	stop context.CancelFunc
	cut  context.CancelFunc
	done chan struct{}
}

// maxAnswer bounds what is read of a response, in bytes.
const maxAnswer = 64 << 10

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
		if !p.Local {
			return
		}
		p.At = 0 // of an earlier configuration: not in the log that is followed now
	}
	for _, c := range s.to.couriers {
		c.purged(p)
	}
}

// purged receives a purge that this process has applied.
func (c *courier) purged(p cache.Applied) {
	if p.Local {
		c.own.add(made{p.Purge, p.At, time.Now()})
	}
	c.mu.Lock()
	c.newest = max(c.newest, p.At)
	c.mu.Unlock()
	c.signal()
}

// grace is how long a delivery in progress may delay a new plan.
const grace = time.Second

// Configure replaces the plan. What a target of the same name has not been sent yet is sent by the
// new plan.
func (d *Deliverer) Configure(p Plan) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	d.stop(ctx, false)
	d.mu.Lock()
	defer d.mu.Unlock()
	before := map[string]*courier{}
	for _, c := range d.couriers {
		before[c.target.Name] = c
	}
	d.source, d.couriers, d.running = p.Source, nil, nil
	for _, t := range p.Targets {
		c := d.courier(p, t.withDefaults())
		if old := before[t.Name]; old != nil {
			c.inherit(old, p.Log)
		} else if p.Log == nil {
			c.own.add(made{cache.Purge{All: true}, 0, time.Now()})
		}
		d.couriers = append(d.couriers, c)
		d.start(c)
	}
}

func (d *Deliverer) courier(p Plan, t Target) *courier {
	return &courier{
		target: t, site: p.Site, keys: p.Keys, shared: p.Log, settle: p.Settle, transport: d.dial(t), log: d.log,
		wake: make(chan struct{}, 1), repeats: repeats{every: t.Repeat},
	}
}

// inherit takes over what the courier of the previous plan has not delivered.
func (c *courier) inherit(old *courier, log Log) {
	old.mu.Lock()
	defer old.mu.Unlock()
	c.state, c.letters, c.own.list = old.state, old.letters, old.own.list
	if c.repeats.every > 0 {
		c.repeats.next, c.repeats.then, c.repeats.at = old.repeats.next, old.repeats.then, old.repeats.at
	}
	if log == nil || log != old.shared {
		for i := range c.own.list {
			c.own.list[i].at = 0 // not in the log that is followed now
		}
		return
	}
	c.newest = old.newest
}

func (d *Deliverer) start(c *courier) {
	hard, cut := context.WithCancel(context.Background())
	soft, stop := context.WithCancel(hard)
	c.ctx = hard
	r := &running{stop, cut, make(chan struct{})}
	d.running = append(d.running, r)
	go func() {
		defer close(r.done)
		c.run(soft)
	}()
}

// Renew makes later calls to all targets on new connections.
func (d *Deliverer) Renew() {
	for _, c := range d.all() {
		c.transport.Close()
	}
}

// Close stops. Deliveries in progress may finish until ctx ends; without Redis what waits is sent
// once.
func (d *Deliverer) Close(ctx context.Context) { d.stop(ctx, true) }

// stop stops the couriers, which receive purges until they are replaced.
func (d *Deliverer) stop(ctx context.Context, last bool) {
	d.mu.Lock()
	couriers, all := d.couriers, d.running
	d.running = nil
	d.mu.Unlock()
	for i, r := range all {
		couriers[i].last = last
		r.stop()
	}
	for _, r := range all {
		select {
		case <-r.done:
		case <-ctx.Done():
			r.cut()
			<-r.done
		}
		r.cut()
	}
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
		all[c.target.Name], _ = c.read(ctx)
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

var _ Log = (*redisstore.Store)(nil)
