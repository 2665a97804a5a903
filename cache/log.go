package cache

import (
	crand "crypto/rand"
	"encoding/json"
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
	own      atomic.Uint64 // the last position that this process assigned; the shared log may have other records up to it
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
// known; also if the position has been assigned here, because entries may already carry it. made is when
// the record was made, and a doubt that it begins began.
func (l *Log) apply(at redisstore.Position, r record, made time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doubts.settle(r.Ends)
	if r.Begins {
		l.doubts.add(r.ID, r.Tags, made)
	}
	if !r.Note {
		if !l.shared(at) {
			at = l.Position() + 1
			l.own.Store(uint64(at))
		}
		marks := &l.hard
		if r.Soft {
			marks = &l.soft
		}
		marks.add(at, r.Purge)
		l.times.add(made, r.Purge)
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
		maps.DeleteFunc(m.tags, func(_ string, last redisstore.Position) bool { return last <= at })
		return
	}
	for _, t := range p.Tags {
		m.tags[t] = max(m.tags[t], at)
	}
}

// shared reports whether a position is of the shared log alone. While its clock is earlier than its last
// record, that has the next number, which a process may have assigned to a purge of its own.
func (l *Log) shared(at redisstore.Position) bool { return uint64(at) > l.own.Load() }

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

// doubtful reports whether the doubt with this ID is open.
func (l *Log) doubtful(id string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	_, open := l.doubts.byID[id]
	return open
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
	return m.minimum > e.Position || slices.ContainsFunc(e.Tags, func(t string) bool { return m.tags[t] > e.Position })
}

// Reached records that all purges up to at have been applied.
func (l *Log) Reached(at redisstore.Position) {
	for now := l.position.Load(); uint64(at) > now; now = l.position.Load() {
		l.position.CompareAndSwap(now, uint64(at))
	}
}

// certainFor is how long an entry with a tag in doubt may be served: after the doubt began,
// and after the entry was fetched.
const certainFor = time.Second

// maxDoubts bounds the doubts that are stored with their tags. Beyond it everything is in
// doubt: too much, never too little.
const maxDoubts = 10_000

// everything stands for all tags: a doubt that names none puts everything in doubt.
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
	if _, known := d.byID[id]; known {
		return
	}
	if len(tags) == 0 || len(d.byID) >= maxDoubts {
		tags = []string{everything}
	}
	if d.byID == nil {
		d.byID, d.tags = map[string]doubt{}, map[string][]time.Time{}
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
	in := func(tag string) {
		if began := d.tags[tag]; began != nil && (limit.IsZero() || began[0].Before(limit)) {
			limit = began[0]
		}
	}
	in(everything)
	for _, t := range e.Tags {
		in(t)
	}
	if limit.IsZero() {
		return limit
	}
	if e.Created.After(limit) {
		limit = e.Created
	}
	return limit.Add(certainFor)
}

// Purge invalidates the entries that show any of its tags.
type Purge struct {
	Tags []string `json:"tags,omitempty"`
	All  bool     `json:"all,omitempty"`  // all entries, whatever their tags
	Soft bool     `json:"soft,omitempty"` // they may still be served stale

	From string `json:"-"` // the cause, for [Cache.Recent] of this process
}

// The causes of purges that others than their makers distinguish.
const (
	FromHTTP  = "http" // requested by HTTP, by the site as a rule
	FromWrite = "write"
)

// record is a record of the log: mostly a purge. See [Announcement] for the others.
type record struct {
	Purge
	Version int    `json:"v"`
	Space   string `json:"space,omitempty"`  // the [Options.TagSpace] of its cache
	ID      string `json:"id"`               // random
	Note    bool   `json:"note,omitempty"`   // it purges nothing
	Begins  bool   `json:"begins,omitempty"` // it puts its tags in doubt
	Ends    string `json:"ends,omitempty"`   // the ID of the record whose doubt it ends; "" is none
}

// recordVersion is the version of the tags as well: while instances of two versions run side by side, each
// purges everything for a record of the other version. See [version].
const recordVersion = 3

// record returns the record of a purge by this cache.
func (c *Cache) record(p Purge) record {
	return record{Purge: p, Version: recordVersion, Space: c.options.TagSpace, ID: crand.Text()}
}

func (r record) encode() []byte {
	data, err := json.Marshal(r)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return data
}

// decodeRecord decodes a record. One that it cannot decode purges everything: it may have
// been any purge.
func decodeRecord(data []byte) (r record) {
	err := json.Unmarshal(data, &r)
	if err != nil || r.Version != recordVersion || len(r.Tags) == 0 && !r.All && !r.Note {
		return record{Purge: Purge{All: true}}
	}
	return r
}

// in returns the record in the tags of a space. Another space may lack some: an instance that
// serves fewer languages of a site names fewer lists. So what it purges, or puts in doubt, is
// everything.
func (r record) in(space string) record {
	if r.Space != space {
		r.Tags, r.All = nil, !r.Note
	}
	return r
}

// PurgeOf returns the purge that a record of the log makes, in the tags of a tag space; ok is false if
// it makes none.
func PurgeOf(data []byte, space string) (p Purge, ok bool) {
	r := decodeRecord(data).in(space)
	return r.Purge, !r.Note
}
