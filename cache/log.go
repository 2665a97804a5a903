package cache

import (
	"github.com/calfacade/calfacade/cache/redisstore"
	"sync"
	"sync/atomic"
	"time"
)

// Purge ends what shows any of its tags.
type Purge struct {
	Tags []string
	All  bool // everything, whatever its tags
	Soft bool // it may still be given as stale

	From string // who wanted it, for [Cache.Recent] of this process; "" says nothing
}

// Log is what this process knows of the purges: the last one of each tag. An
// entry remembers where the log stood when its fetch began, and is good as long
// as none of its tags was purged after that. So a purge is one step, however
// much it ends, and a fetch that a write overtook ends with it.
//
// It is safe for concurrent use.
type Log struct {
	position atomic.Uint64 // of the newest purge
	version  atomic.Uint64 // counts what was applied; places alone do not tell, for they may come out of order

	mu         sync.RWMutex
	hard, soft marks
	doubts     doubts
}

// marks are the last purges of one kind.
type marks struct {
	floor redisstore.Position // everything from before is ended
	tags  map[string]redisstore.Position
}

// maxMarks bounds the tags that are remembered. Past it, all that is older than
// the newest purge is ended: too much, never too little.
const maxMarks = 200_000

// NewLog makes an empty log.
func NewLog() *Log {
	return &Log{hard: marks{tags: map[string]redisstore.Position{}}, soft: marks{tags: map[string]redisstore.Position{}}}
}

// Position is where the log stands.
func (l *Log) Position() redisstore.Position { return redisstore.Position(l.position.Load()) }

// next applies a purge behind all that is known, and gives its place.
func (l *Log) next(r record) redisstore.Position {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.Position() + 1
	l.take(at, r)
	return at
}

// apply applies a record at its place in the shared log. It may come again. At 0 it has no
// place yet, and is no purge.
func (l *Log) apply(at redisstore.Position, r record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.take(at, r)
}

func (l *Log) take(at redisstore.Position, r record) {
	l.doubts.settle(r.settles)
	if r.doubt != "" {
		l.doubts.add(r.doubt, r.Tags, r.began)
	}
	switch {
	case r.note:
	case r.Soft:
		l.soft.add(at, r.Purge)
	default:
		l.hard.add(at, r.Purge)
	}
	l.advance(at)
	// The version goes last: an entry that was checked at it was checked with r.
	l.version.Add(1)
}

func (m *marks) add(at redisstore.Position, p Purge) {
	if p.All || len(m.tags)+len(p.Tags) > maxMarks {
		m.floor = max(m.floor, at)
		clear(m.tags)
		return
	}
	for _, t := range p.Tags {
		m.tags[t] = max(m.tags[t], at)
	}
}

// Distrust ends everything from before at: purges may have been missed.
func (l *Log) Distrust(at redisstore.Position) { l.apply(at, record{Purge: Purge{All: true}}) }

func (l *Log) advance(at redisstore.Position) {
	if at > l.Position() {
		l.position.Store(uint64(at))
	}
}

// verdict is what the purges say of an entry.
type verdict int

const (
	valid verdict = iota
	inDoubt
	softPurged
	purged
)

// doubtful reports whether there is a doubt of id.
func (l *Log) doubtful(id string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	_, there := l.doubts.byID[id]
	return there
}

// until is how long e may be given for a doubt; in says that it shows what is in doubt.
func (l *Log) until(e *Entry) (limit time.Time, in bool) {
	if l.doubts.open.Load() == 0 {
		return time.Time{}, false
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.doubts.until(e)
}

// judge says what the purges say of e. Between two purges it costs a comparison, unless e
// is in doubt.
func (l *Log) judge(e *Entry) verdict {
	now := l.version.Load()
	if e.checked.Load() == now+1 { // 0 is never checked
		return valid
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	switch {
	case l.hard.hit(e):
		return purged
	case l.soft.hit(e):
		return softPurged
	}
	if _, in := l.doubts.until(e); in {
		return inDoubt
	}
	e.checked.Store(now + 1)
	return valid
}

func (m *marks) hit(e *Entry) bool {
	if m.floor > e.Position {
		return true
	}
	for _, t := range e.Tags {
		if m.tags[t] > e.Position {
			return true
		}
	}
	return false
}

// reach says that all purges up to at have been applied.
func (l *Log) reach(at redisstore.Position) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance(at)
}
