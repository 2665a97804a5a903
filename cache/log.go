package cache

import (
	"maps"
	"slices"
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
	assigned atomic.Uint64 // the last position that this process assigned; the shared log may have other records up to it
	version  atomic.Uint64 // number of records applied; positions may come out of order

	mu         sync.RWMutex
	hard, soft marks
	times      purgeTimes
	writes     pendingWrites
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
// known; also if the position has been assigned here, because entries may already carry it. began is when
// the record was made, and the pending write began that it announces.
func (l *Log) apply(position redisstore.Position, r record, began time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes.end(r.Ends)
	if r.Begins {
		l.writes.add(r.ID, r.Tags, began)
	}
	if !r.Note {
		if !l.shared(position) {
			position = l.Position() + 1
			l.assigned.Store(uint64(position))
		}
		marks := &l.hard
		if r.Soft {
			marks = &l.soft
		}
		marks.add(position, r.Purge)
		l.times.add(began, r.Purge)
	}
	l.Reached(position)
	// The version goes last: an entry that was checked at it was checked with r.
	l.version.Add(1)
}

func (m *marks) add(position redisstore.Position, p Purge) {
	full := len(m.tags)+len(p.Tags) > maxMarks
	if full {
		for _, later := range m.tags {
			position = max(position, later)
		}
	}
	if p.All || full {
		m.minimum = max(m.minimum, position)
		// A purge of this process is applied before the log has been read up to it, and stays.
		maps.DeleteFunc(m.tags, func(_ string, last redisstore.Position) bool { return last <= position })
		return
	}
	for _, t := range p.Tags {
		m.tags[t] = max(m.tags[t], position)
	}
}

// shared reports whether a position is of the shared log alone. While its clock is earlier than its last
// record, that has the next number, which a process may have assigned to a purge of its own.
func (l *Log) shared(position redisstore.Position) bool { return uint64(position) > l.assigned.Load() }

// Distrust purges everything from before a position: records may have been missed.
func (l *Log) Distrust(position redisstore.Position) {
	l.apply(position, record{Purge: Purge{All: true}}, time.Time{})
}

// verdict is the effect of the purges on an entry.
type verdict int

const (
	valid verdict = iota
	writePending
	softPurged
	purged
)

// pending reports whether the write with this ID is pending.
func (l *Log) pending(id string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	_, pending := l.writes.byID[id]
	return pending
}

// judge returns the effect of the purges on e, and until when it may be served because a write to a tag of it
// is pending; zero: no write is. Between two records it costs one comparison, unless a write is pending.
func (l *Log) judge(e *Entry) (v verdict, until time.Time) {
	now := l.version.Load()
	if e.checked.Load() == now+1 { // 0 is never checked
		return valid, time.Time{}
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	until = l.writes.until(e)
	switch {
	case l.hard.hit(e):
		return purged, until
	case l.soft.hit(e):
		return softPurged, until
	case !until.IsZero():
		return writePending, until
	}
	e.checked.Store(now + 1)
	return valid, until
}

func (m *marks) hit(e *Entry) bool {
	return m.minimum > e.Position || slices.ContainsFunc(e.Tags, func(t string) bool { return m.tags[t] > e.Position })
}

// Reached records that all purges up to a position have been applied.
func (l *Log) Reached(position redisstore.Position) {
	for now := l.position.Load(); uint64(position) > now; now = l.position.Load() {
		l.position.CompareAndSwap(now, uint64(position))
	}
}

// condition says what an entry may be used for.
type condition int

const (
	useless condition = iota
	usable            // served if the fetch fails
	stale             // served while it is revalidated
	fresh
)

// condition returns what e may be used for at now; nil for nothing.
func (l *Log) condition(e *Entry, now time.Time) condition {
	if e == nil {
		return useless
	}
	age := e.age(now)
	life := e.Life
	verdict, until := l.judge(e)
	certain := until.IsZero() || verdict == writePending && now.Before(until)
	switch {
	case verdict == purged:
		return useless
	case verdict != softPurged && certain && age < life.Fresh:
		return fresh
	case age >= life.total():
		return useless
	case !certain:
		return usable
	case age < life.Fresh+life.StaleWhileRevalidate:
		return stale
	}
	return usable
}

// servedFor is how long an entry that a pending write may change is served: after the write began,
// and after the entry was fetched.
const servedFor = time.Second

// maxPendingWrites bounds the pending writes that are stored with their tags. A further one may change
// everything: too much, never too little.
const maxPendingWrites = 10_000

// everything stands for all tags: a pending write without tags may change everything.
const everything = ""

// pendingWrites are the writes whose outcome is not known: those in progress, and those that the
// source did not answer. Entries that show their tags may become outdated at any moment. The
// mutex of the log guards them.
type pendingWrites struct {
	byID map[string]pendingWrite
	tags map[string][]time.Time // when the pending writes to a tag began, the first one first
}

type pendingWrite struct {
	tags  []string
	began time.Time
}

// add adds a pending write, which may be known already.
func (w *pendingWrites) add(id string, tags []string, began time.Time) {
	if _, ok := w.byID[id]; ok {
		return
	}
	if len(tags) == 0 || len(w.byID) >= maxPendingWrites {
		tags = []string{everything}
	}
	if w.byID == nil {
		w.byID = map[string]pendingWrite{}
		w.tags = map[string][]time.Time{}
	}
	w.byID[id] = pendingWrite{tags: tags, began: began}
	for _, t := range tags {
		i, _ := slices.BinarySearchFunc(w.tags[t], began, time.Time.Compare)
		w.tags[t] = slices.Insert(w.tags[t], i, began)
	}
}

// end removes a pending write, whose outcome is known or which has expired.
func (w *pendingWrites) end(id string) {
	ended := w.byID[id]
	for _, t := range ended.tags {
		i, _ := slices.BinarySearchFunc(w.tags[t], ended.began, time.Time.Compare)
		w.tags[t] = slices.Delete(w.tags[t], i, i+1)
		if len(w.tags[t]) == 0 {
			delete(w.tags, t)
		}
	}
	delete(w.byID, id)
}

// until returns until when e may be served; zero: no pending write may change it.
func (w *pendingWrites) until(e *Entry) (limit time.Time) {
	consider := func(tag string) {
		began := w.tags[tag]
		if began != nil && (limit.IsZero() || began[0].Before(limit)) {
			limit = began[0]
		}
	}
	consider(everything)
	for _, t := range e.Tags {
		consider(t)
	}
	if limit.IsZero() {
		return limit
	}
	if e.Created.After(limit) {
		limit = e.Created
	}
	return limit.Add(servedFor)
}

// unannounced are the tags of writes of unknown outcome that were not announced. Each is purged at most
// once in a window, and few of them: whoever makes the source fail must not keep an entry from being
// served, nor fill the log.
type unannounced struct {
	mu     sync.Mutex
	until  time.Time // the end of the window
	purged map[string]bool
}

const (
	unannouncedWindow = time.Minute
	maxUnannounced    = 100 // tags in a window
)

// admit returns the tags that may be purged now.
func (s *unannounced) admit(tags []string, now time.Time) (admitted []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !now.Before(s.until) {
		s.until = now.Add(unannouncedWindow)
		s.purged = map[string]bool{}
	}
	for _, t := range tags {
		if !s.purged[t] && len(s.purged) < maxUnannounced {
			s.purged[t] = true
			admitted = append(admitted, t)
		}
	}
	return admitted
}
