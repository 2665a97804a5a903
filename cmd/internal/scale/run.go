package scale

import (
	"time"

	"github.com/calfacade/calfacade/cache"
)

// Run simulates a setup. It must be called in a bubble of [testing/synctest], and leaves no
// goroutine there.
func Run(s Setup) Result {
	w := newWorld(s)
	begin := time.Now().Add(s.WarmUp)
	end := begin.Add(s.Measured)
	w.answers.from = begin
	w.running.Go(func() { w.traffic(end) })
	w.running.Go(func() { w.editing(end) })
	time.Sleep(s.WarmUp)
	before := w.counts()
	w.site.measure()
	time.Sleep(s.Measured)
	after := w.counts()
	w.close()
	return w.result(before, after)
}

// counts are the counters at one moment.
type counts struct {
	site, most                   int64
	frontHits, delivered, onward int64
	commands                     Commands
	caches                       cache.Stats
}

func (w *world) counts() counts {
	c := counts{frontHits: w.frontHits.Load(), delivered: w.delivered.Load(), onward: w.onward.Load()}
	w.site.mu.Lock()
	c.site, c.most = w.site.calls.all, w.site.calls.most
	w.site.mu.Unlock()
	if w.server != nil {
		w.server.mu.Lock()
		c.commands = w.server.n
		w.server.mu.Unlock()
	}
	for _, i := range w.instances {
		s := i.Stats()
		c.caches.Hits += s.Hits
		c.caches.Stale += s.Stale
		c.caches.Misses += s.Misses
		c.caches.Collapsed += s.Collapsed
	}
	return c
}
