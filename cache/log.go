package cache

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Log holds the last purge of each tag that this process knows. An entry has the position of
// the log when its fetch began, and is valid as long as none of its tags was purged after
// that. So a purge is one step, however many entries it invalidates, and it also
// invalidates the result of a fetch in progress.
//
// It is safe for concurrent use.
type Log struct {
	position atomic.Uint64 // of the newest record
	version  atomic.Uint64 // number of records applied; positions may come out of order

	mu         sync.RWMutex
	hard, soft marks
	doubts     doubts
}

// marks are the last purges of one kind, hard or soft.
type marks struct {
	minimum redisstore.Position // everything from before it is purged
	tags    map[string]redisstore.Position
}

// maxMarks bounds the tags that are stored. Beyond it, everything older than the newest purge
// is purged: too much, never too little.
const maxMarks = 200_000

// NewLog returns an empty log.
func NewLog() *Log {
	return &Log{hard: marks{tags: map[string]redisstore.Position{}}, soft: marks{tags: map[string]redisstore.Position{}}}
}

// Position returns the position of the newest record.
func (l *Log) Position() redisstore.Position { return redisstore.Position(l.position.Load()) }

// apply applies a record: at its position in the shared log, possibly again, or at 0 after all that is
// known. A doubt that it begins begins now.
func (l *Log) apply(at redisstore.Position, r record, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doubts.settle(r.Ends)
	if r.Begins {
		l.doubts.add(r.ID, r.Tags, now)
	}
	if !r.Note {
		if at == 0 {
			at = l.Position() + 1
		}
		marks := &l.hard
		if r.Soft {
			marks = &l.soft
		}
		marks.add(at, r.Purge)
	}
	l.Reached(at)
	// The version goes last: an entry that was checked at it was checked with r.
	l.version.Add(1)
}

func (m *marks) add(at redisstore.Position, p Purge) {
	full := len(m.tags)+len(p.Tags) > maxMarks
	if full {
		for _, later := range m.tags {
			at = max(at, later)
		}
	}
	if p.All || full {
		m.minimum = max(m.minimum, at)
		// A purge of this process is applied before the log has been read up to it, and stays.
		maps.DeleteFunc(m.tags, func(_ string, of redisstore.Position) bool { return of <= at })
		return
	}
	for _, t := range p.Tags {
		m.tags[t] = max(m.tags[t], at)
	}
}

// Distrust purges everything from before at: records may have been missed.
func (l *Log) Distrust(at redisstore.Position) {
	l.apply(at, record{Purge: Purge{All: true}}, time.Time{})
}

// verdict is the effect of the purges on an entry.
type verdict int

const (
	valid verdict = iota
	inDoubt
	softPurged
	purged
)

// doubtful reports whether the doubt with this ID is open, and returns the number of those that are.
func (l *Log) doubtful(id string) (there bool, open int) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	_, there = l.doubts.byID[id]
	return there, len(l.doubts.byID)
}

// judge returns the effect of the purges on e, and until when it may be served because a tag of it is in
// doubt; zero: none is. Between two records it costs one comparison, unless that is so.
func (l *Log) judge(e *Entry) (v verdict, until time.Time) {
	now := l.version.Load()
	if e.checked.Load() == now+1 { // 0 is never checked
		return valid, time.Time{}
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	until = l.doubts.until(e)
	switch {
	case l.hard.hit(e):
		return purged, until
	case l.soft.hit(e):
		return softPurged, until
	case !until.IsZero():
		return inDoubt, until
	}
	e.checked.Store(now + 1)
	return valid, until
}

func (m *marks) hit(e *Entry) bool {
	if m.minimum > e.Position {
		return true
	}
	for _, t := range e.Tags {
		if m.tags[t] > e.Position {
			return true
		}
	}
	return false
}

// Reached records that all purges up to at have been applied.
func (l *Log) Reached(at redisstore.Position) {
	for now := l.position.Load(); uint64(at) > now; now = l.position.Load() {
		l.position.CompareAndSwap(now, uint64(at))
	}
}
