package scale

import (
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// world is everything that takes part in a run.
type world struct {
	setup Setup
	dice  dice

	pages     *pages
	site      *site
	server    *server // nil without Redis
	instances []*cache.Cache
	fronts    []*front

	answers   staleness
	frontHits atomic.Int64
	delivered atomic.Int64 // purges that arrived at an instance
	onward    atomic.Int64 // purges that were sent to a cache in front

	running sync.WaitGroup
}

func newWorld(s Setup) *world {
	w := &world{setup: s, dice: dice(s.Seed), pages: newPages(s), site: newSite(s)}
	if !s.NoRedis {
		w.server = newServer(s)
	}
	for i := range s.Instances {
		w.instances = append(w.instances, cache.New(w.options(i)))
	}
	for i := range s.Fronts {
		w.fronts = append(w.fronts, newFront(w, i))
	}
	return w
}

func (w *world) options(instance int) cache.Options {
	if w.server == nil {
		return cache.Options{}
	}
	n := uint64(instance)
	return cache.Options{Shared: &link{
		server: w.server, instance: instance,
		oneWay: w.dice.within(w.setup.Redis, forRedis, n),
		starts: w.dice.within(Range{0, w.setup.PurgeWait}, forStart, n),
	}}
}

// close stops the instances.
func (w *world) close() {
	for _, c := range w.instances {
		c.Close()
	}
	w.running.Wait()
}

// answer is a response as a cache in front gets it.
type answer struct {
	version version
	left    time.Duration // for which it is still fresh
	stale   bool
}

// serve is a request for a page to an instance.
func (w *world) serve(instance int, p *page) answer {
	c := w.instances[instance]
	if r, ok := c.Fresh(p.key, whatever); ok {
		c.Hit()
		return answerOf(r)
	}
	r, err := c.Serve(context.Background(), p.key, func(context.Context) (cache.Fetched, error) { return w.fetch(p), nil })
	if err != nil {
		panic("BUG: " + err.Error()) // the site never fails
	}
	return answerOf(r)
}

// inMemory serves a request that takes no time, because the instance has a fresh entry.
func (w *world) inMemory(instance int, p *page) (answer, bool) {
	c := w.instances[instance]
	r, ok := c.Fresh(p.key, whatever)
	if ok {
		c.Hit()
	}
	return answerOf(r), ok
}

func whatever(*cache.Entry) bool { return true }

func (w *world) fetch(p *page) cache.Fetched {
	body := binary.BigEndian.AppendUint64(nil, uint64(w.site.fetch(p)))
	// As in proxy/freshness, up to a tenth less, so that entries do not expire together.
	fresh := w.dice.within(Range{w.setup.Fresh * 9 / 10, w.setup.Fresh}, forLife, uint64(p.id), uint64(time.Now().UnixNano()))
	return cache.Fetched{
		Entry: &cache.Entry{
			Status: 200, Body: body, Tags: p.tags,
			Life: cache.Life{Fresh: fresh, StaleWhileRevalidate: w.setup.StaleWhileRevalidate},
		},
		Store: true, Share: true,
	}
}

func answerOf(r cache.Result) answer {
	if r.Entry == nil {
		return answer{}
	}
	return answer{version(binary.BigEndian.Uint64(r.Entry.Body)), r.TTL, r.How == cache.Stale}
}
