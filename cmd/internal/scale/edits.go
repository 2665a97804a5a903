package scale

import (
	"context"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// editing makes edits until end.
func (w *world) editing(end time.Time) {
	for n := uint64(0); w.setup.Edits > 0; n++ {
		time.Sleep(interval(w.dice.roll(forEdits, n, 0), w.setup.Edits/3600))
		if !time.Now().Before(end) {
			return
		}
		item := w.pages.item(w.dice.roll(forEdits, n, 1))
		instance := w.dice.pick(len(w.instances), forEdits, n, 2)
		if w.dice.roll(forEdits, n, 3) < w.setup.Writes {
			w.running.Go(func() { w.write(n, instance, item) })
		} else {
			w.running.Go(func() { w.edit(n, instance, item) })
		}
	}
}

// write is an edit through an instance: announced before it is sent to the site, and purged
// before it is answered.
func (w *world) write(n uint64, instance, item int) {
	c, ctx, tags := w.instances[instance], context.Background(), w.pages.changed(item)
	announced := c.Unannounced(tags)
	if !w.setup.NoPurges {
		announced = c.Announce(ctx, tags)
	}
	took := w.site.took(n)
	time.Sleep(took / 2)
	w.site.edit(item)
	time.Sleep(took - took/2)
	if !w.setup.NoPurges {
		w.purged(n, tags, 1, func() { announced.Purge(ctx, cache.Purge{Tags: tags}) })
	}
}

// edit is an edit on the site, which sends its purge to one instance, or to all of them if
// they do not share a Redis.
func (w *world) edit(n uint64, instance, item int) {
	w.site.edit(item)
	if w.setup.NoPurges || w.dice.roll(forLoss, n) < w.setup.LostPurges {
		return
	}
	time.Sleep(w.dice.within(w.setup.PurgeDelay, forPurges, n))
	tags := w.pages.changed(item)
	to := w.instances
	if w.server != nil {
		to = to[instance : instance+1]
	}
	w.purged(n, tags, len(to), func() {
		for _, c := range to {
			c.Purge(context.Background(), cache.Purge{Tags: tags})
		}
	})
}

// purged makes a purge at some instances, and sends it on to the caches in front as soon as
// it is in the log.
func (w *world) purged(n uint64, tags []string, instances int, purge func()) {
	w.delivered.Add(int64(instances))
	if w.server != nil {
		w.delivered.Add(int64(w.setup.Instances - instances))
	}
	if !w.setup.NoOnward {
		for _, f := range w.fronts {
			w.running.Go(func() { w.sendOn(n, f, tags) })
		}
	}
	purge()
}

// sendOn sends a purge to a cache in front.
func (w *world) sendOn(n uint64, f *front, tags []string) {
	time.Sleep(w.setup.Hold)
	w.onward.Add(1)
	time.Sleep(w.dice.within(w.setup.Onward, forOnward, n, uint64(f.id)))
	if w.dice.roll(forLoss, n, uint64(f.id)) >= w.setup.LostOnward {
		f.purge(tags)
	}
}
