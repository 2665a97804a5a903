package scale

import (
	"sync"
	"time"
)

// front is the model of a shared cache in front of the instances (RFC 9111): it stores each
// answer for as long as it is fresh, purges by tag, and makes one request for all clients
// that wait for a page. A purge removes what is stored, and not what is on its way.
type front struct {
	*world
	id int

	mu      sync.Mutex
	stored  map[int]inFront
	waiting map[int][]time.Time // when the clients asked, by page
}

// inFront is a stored answer.
type inFront struct {
	version version
	until   time.Time
}

func newFront(w *world, id int) *front {
	return &front{world: w, id: id, stored: map[int]inFront{}, waiting: map[int][]time.Time{}}
}

// request is the n-th request of all clients.
func (f *front) request(p *page, n uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if s, ok := f.stored[p.id]; ok && now.Before(s.until) {
		f.frontHits.Add(1)
		f.answered(p, answer{version: s.version}, now)
		return
	}
	others, fetching := f.waiting[p.id]
	f.waiting[p.id] = append(others, now)
	if !fetching {
		f.running.Go(func() { f.fetch(p, n) })
	}
}

// fetch requests a page from an instance.
func (f *front) fetch(p *page, n uint64) {
	began := time.Now()
	time.Sleep(f.dice.within(f.setup.Network, forNetwork, n, 0))
	a := f.serve(f.dice.pick(len(f.instances), forClients, n, 4), p)
	time.Sleep(f.dice.within(f.setup.Network, forNetwork, n, 1))
	if f.setup.FrontLife > 0 && !a.stale {
		a.left = f.setup.FrontLife
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	// The age of an answer counts from when it was requested (RFC 9111, section 4.2.3).
	if until := began.Add(a.left); time.Now().Before(until) {
		f.stored[p.id] = inFront{a.version, until}
	}
	for _, asked := range f.waiting[p.id] {
		f.answered(p, a, asked)
	}
	delete(f.waiting, p.id)
}

// purge removes the answers with any of the tags.
func (f *front) purge(tags []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range tags {
		for _, p := range f.pages.tagged[t] {
			delete(f.stored, p)
		}
	}
}
