package scale

import (
	"time"
)

// traffic sends the requests of all clients until end.
func (w *world) traffic(end time.Time) {
	for n := uint64(0); ; n++ {
		time.Sleep(interval(w.dice.roll(forArrivals, n), w.setup.Requests))
		if !time.Now().Before(end) {
			return
		}
		p := w.pages.requested(w.dice.roll(forClients, n, 0), w.dice.roll(forClients, n, 1), w.dice.roll(forClients, n, 2))
		if len(w.fronts) > 0 {
			w.fronts[w.dice.pick(len(w.fronts), forClients, n, 3)].request(p, n)
			continue
		}
		w.request(w.dice.pick(len(w.instances), forClients, n, 3), p)
	}
}

// request is a request of a client to an instance.
func (w *world) request(instance int, p *page) {
	asked := time.Now()
	if a, ok := w.inMemory(instance, p); ok {
		w.answered(p, a, asked)
		return
	}
	w.running.Go(func() { w.answered(p, w.serve(instance, p), asked) })
}

// answered counts an answer to a client.
func (w *world) answered(p *page, a answer, asked time.Time) {
	w.answers.add(asked, w.site.behind(p, a.version, asked))
}
