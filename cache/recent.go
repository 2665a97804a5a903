package cache

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// maxRecent is the number of purges that [Cache.Recent] returns, and maxRecentTags the number
// of tags of each.
const (
	maxRecent     = 50
	maxRecentTags = 20
)

// Purged is a purge that this process has applied, possibly again.
type Purged struct {
	Purge
	Count int                 // number of tags; [Cache.Recent] returns the first few
	At    redisstore.Position // in the shared log; 0: it is not there, or not yet
	Local bool                // made by this process
	Time  time.Time           // by the clock of Redis, if it is from the shared log

	id string // of the record
}

// recent are the last purges, oldest first.
type recent struct {
	mu   sync.Mutex
	list []Purged
}

// add records a purge, possibly again: it also arrives through the log, and each time that the log is
// read from its beginning.
func (r *recent) add(id string, p Purged) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.id = cmp.Or(id, fmt.Sprint(p.At))
	if i := slices.IndexFunc(r.list, func(e Purged) bool { return e.id == p.id }); i >= 0 {
		if p.Local {
			r.list[i].Local, r.list[i].From = true, p.From
		}
		return
	}
	p.Tags = slices.Clone(p.Tags[:min(len(p.Tags), maxRecentTags)])
	i := len(r.list)
	for i > 0 && r.list[i-1].Time.After(p.Time) {
		i--
	}
	r.list = slices.Insert(r.list, i, p)
	if len(r.list) > maxRecent {
		r.list = slices.Delete(r.list, 0, 1)
	}
}
