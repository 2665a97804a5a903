package onward

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// maxAnswer bounds the part that is read of a response, in bytes.
const maxAnswer = 64 << 10

// Deliverer passes purges on. A deliverer belongs to the process: a new configuration has another plan.
// Deliverer is safe for concurrent use.
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
		c.receive(p)
	}
}

// Configure replaces the plan, and makes all later calls on new connections. The new plan sends the waiting purges
// of each target that keeps its name.
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

// newCourier returns a courier that run starts. The courier continues with the backlog of old. The first courier
// begins with a purge of everything if there is no Redis.
func (d *Deliverer) newCourier(p Plan, t Target, old *Courier) *Courier {
	t = t.WithDefaults()
	c := &Courier{
		Target: t, plan: p, log: d.log, transport: d.dial(t), limiter: rate.NewLimiter(rate.Every(t.Limit.interval()), t.Limit.Calls),
		done: make(chan struct{}), wake: make(chan struct{}, 1),
	}
	switch {
	case old != nil:
		old.mu.Lock()
		defer old.mu.Unlock()
		c.backlog = old.backlog
		c.unlogged = c.unlogged || old.plan.Log != p.Log
	case p.Log == nil:
		c.local = single(cache.Purge{All: true}, 0, time.Now())
		c.unlogged = true
	}
	return c
}

// Close stops the couriers. Waiting purges are sent once, until ctx ends.
func (d *Deliverer) Close(ctx context.Context) {
	var ends sync.WaitGroup
	for _, c := range d.Couriers() {
		ends.Go(func() { c.end(ctx) })
	}
	ends.Wait()
}

// Couriers returns the courier of each target. A nil deliverer has no couriers.
func (d *Deliverer) Couriers() []*Courier {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.couriers
}
