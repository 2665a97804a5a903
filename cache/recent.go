package cache

import (
	"github.com/calfacade/calfacade/cache/redisstore"
	"slices"
	"sync"
	"time"
)

// maxRecent is the number of purges that [Cache.Recent] returns, and maxRecentTags the number
// of tags of each.
const (
	maxRecent     = 50
	maxRecentTags = 20
)

// Purged is a purge that this process knows. Its Tags are the first few.
type Purged struct {
	Purge
	Count int       // number of all tags
	Time  time.Time // by the clock of Redis, if it is from the shared log
	Local bool      // made by this process

	at redisstore.Position // in the log; 0 while it is pending
}

// Applied is a purge that this process has just applied, possibly again.
type Applied struct {
	Purge
	At    redisstore.Position // in the shared log; 0: it is not there, or not yet
	Local bool                // made by this process
}

// note records a purge that was applied.
func (c *Cache) note(at redisstore.Position, r record, here bool, when time.Time) {
	c.recent.add(at, r.Purge, here, when)
	if c.options.Purged == nil {
		return
	}
	if c.remote.redis == nil {
		at = 0
	}
	c.options.Purged(Applied{r.Purge, at, here})
}

// recent are the last purges, oldest first.
type recent struct {
	mu   sync.Mutex
	list []Purged
}

// add records a purge, possibly again: it also arrives through the log, before or after its
// maker knows its position, and each time that the log is read from its beginning.
func (r *recent) add(at redisstore.Position, p Purge, here bool, when time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.list {
		e := &r.list[i]
		waited := here && e.at == 0 && e.From == p.From && e.Count == len(p.Tags) && e.All == p.All && e.Soft == p.Soft
		if at != 0 && e.at == at || at != 0 && waited {
			e.at, e.Local = at, e.Local || here
			if here {
				e.From = p.From
			}
			return
		}
	}
	e := Purged{Purge: p, Count: len(p.Tags), Time: when, Local: here, at: at}
	e.Tags = slices.Clone(p.Tags[:min(len(p.Tags), maxRecentTags)])
	i := len(r.list)
	for i > 0 && r.list[i-1].Time.After(when) {
		i--
	}
	r.list = slices.Insert(r.list, i, e)
	if len(r.list) > maxRecent {
		r.list = slices.Delete(r.list, 0, 1)
	}
}
