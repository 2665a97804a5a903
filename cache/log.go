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
// known; also if the position has been assigned here, because entries may already carry it. began is when
// the record was made, and a doubt that the record begins.
func (l *Log) apply(position redisstore.Position, r record, began time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doubts.settle(r.Ends)
	if r.Begins {
		l.doubts.add(r.ID, r.Tags, began)
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
	inDoubt
	softPurged
	purged
)

// doubtful reports whether the doubt with this ID is open.
func (l *Log) doubtful(id string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	_, open := l.doubts.byID[id]
	return open
}

// judge returns the effect of the purges on e, and until when it may be served because a tag of it is in
// doubt; zero: no tag is. Between two records it costs one comparison, unless that is so.
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
	certain := until.IsZero() || verdict == inDoubt && now.Before(until)
	switch {
	case verdict == purged || age >= life.total():
		return useless
	case verdict != softPurged && certain && age < life.Fresh:
		return fresh
	case !certain:
		return usable
	case age < life.Fresh+life.StaleWhileRevalidate:
		return stale
	}
	return usable
}

// certainFor is how long an entry with a tag in doubt may be served: after the doubt began,
// and after the entry was fetched.
const certainFor = time.Second

// maxDoubts bounds the doubts that are stored with their tags. Beyond it everything is in
// doubt: too much, never too little.
const maxDoubts = 10_000

// everything stands for all tags: a doubt without tags puts everything in doubt.
const everything = ""

// doubts are the writes whose outcome is not known: those in progress, and those that the
// source did not answer. Entries that show their tags may become outdated at any moment. The
// mutex of the log guards them.
type doubts struct {
	byID map[string]doubt
	tags map[string][]time.Time // when the open doubts of a tag began, the first one first
}

type doubt struct {
	tags  []string
	began time.Time
}

// add adds a doubt, which may be known already.
func (d *doubts) add(id string, tags []string, began time.Time) {
	if _, present := d.byID[id]; present {
		return
	}
	if len(tags) == 0 || len(d.byID) >= maxDoubts {
		tags = []string{everything}
	}
	if d.byID == nil {
		d.byID = map[string]doubt{}
		d.tags = map[string][]time.Time{}
	}
	d.byID[id] = doubt{tags: tags, began: began}
	for _, t := range tags {
		i, _ := slices.BinarySearchFunc(d.tags[t], began, time.Time.Compare)
		d.tags[t] = slices.Insert(d.tags[t], i, began)
	}
}

func (d *doubts) settle(id string) {
	settled := d.byID[id]
	for _, t := range settled.tags {
		i, _ := slices.BinarySearchFunc(d.tags[t], settled.began, time.Time.Compare)
		d.tags[t] = slices.Delete(d.tags[t], i, i+1)
		if len(d.tags[t]) == 0 {
			delete(d.tags, t)
		}
	}
	delete(d.byID, id)
}

// until returns until when e may be served; zero: no tag of it is in doubt.
func (d *doubts) until(e *Entry) (limit time.Time) {
	consider := func(tag string) {
		if began := d.tags[tag]; began != nil && (limit.IsZero() || began[0].Before(limit)) {
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
	return limit.Add(certainFor)
}

// suspicions are the tags of writes of unknown outcome that were not announced. Each is purged at most
// once in a window, and few of them: whoever makes the source fail must not keep an entry from being
// served, nor fill the log.
type suspicions struct {
	mu     sync.Mutex
	until  time.Time // the end of the window
	purged map[string]bool
}

const (
	suspicionWindow = time.Minute
	maxSuspicions   = 100 // tags in a window
)

// admit returns the tags that may be purged now.
func (s *suspicions) admit(tags []string, now time.Time) (admitted []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !now.Before(s.until) {
		s.until = now.Add(suspicionWindow)
		s.purged = map[string]bool{}
	}
	for _, t := range tags {
		if !s.purged[t] && len(s.purged) < maxSuspicions {
			s.purged[t] = true
			admitted = append(admitted, t)
		}
	}
	return admitted
}
