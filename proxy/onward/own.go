package onward

import (
	"slices"
	"sync"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
)

// maxOwn bounds the purges that a queue holds one by one; beyond it they are one of everything.
const maxOwn = 1000

// own are the purges that this instance made and the target may not have, the oldest first.
type own struct {
	mu   sync.Mutex
	list []made
}

// made is a purge that this instance made.
type made struct {
	cache.Purge
	at   redisstore.Position // in the shared log; 0: not there, or not yet
	when time.Time
}

func (q *own) add(m made) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if m.at != 0 {
		// It may have waited for Redis until now.
		i := slices.IndexFunc(q.list, func(w made) bool {
			return w.at == 0 && w.All == m.All && w.Soft == m.Soft && slices.Equal(w.Tags, m.Tags)
		})
		if i >= 0 {
			q.list = slices.Delete(q.list, i, i+1)
		}
	}
	if len(q.list) >= maxOwn {
		m.Purge, m.at, m.when = cache.Purge{All: true}, 0, q.list[0].when
		q.list = nil
	}
	q.list = append(q.list, m)
}

// due returns those that are at least so old, or how long the first will take to be; with all
// false only those that are not in the shared log.
func (q *own) due(now time.Time, age time.Duration, all bool) (b batch, list []made, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	wait = lookEvery
	for _, m := range q.list {
		if !all && m.at != 0 {
			continue
		}
		if rest := age - now.Sub(m.when); rest > 0 {
			wait = min(wait, rest)
			continue
		}
		b.add(m.Purge, 0, m.when)
		list = append(list, m)
	}
	return b, list, wait
}

// remove removes purges that were delivered.
func (q *own) remove(list []made) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = slices.DeleteFunc(q.list, func(m made) bool {
		return slices.ContainsFunc(list, func(d made) bool { return d.at == m.at && d.when.Equal(m.when) })
	})
}

// passed removes what the shared log had up to at.
func (q *own) passed(at redisstore.Position) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = slices.DeleteFunc(q.list, func(m made) bool { return m.at != 0 && m.at <= at })
}

// oldest returns when the oldest was made, and how many there are.
func (q *own) oldest() (when time.Time, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return time.Time{}, 0
	}
	return q.list[0].when, len(q.list)
}
