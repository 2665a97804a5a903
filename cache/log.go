package cache

import (
	"strings"
	"sync"
	"sync/atomic"
)

// Position is a place in the purge log. Later is larger. With Redis it is the
// place in the stream that all copies share (milliseconds<<16 | sequence);
// without, a count.
type Position uint64

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
}

// marks are the last purges of one kind.
type marks struct {
	floor Position // everything from before is ended
	tags  map[string]Position
}

// maxMarks bounds the tags that are remembered. Past it, all that is older than
// the newest purge is ended: too much, never too little.
const maxMarks = 200_000

// NewLog makes an empty log.
func NewLog() *Log {
	return &Log{hard: marks{tags: map[string]Position{}}, soft: marks{tags: map[string]Position{}}}
}

// Position is where the log stands.
func (l *Log) Position() Position { return Position(l.position.Load()) }

// Next applies a purge behind all that is known, and gives its place.
func (l *Log) Next(p Purge) Position {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.Position() + 1
	l.apply(at, p)
	return at
}

// Apply applies a purge at its place in the shared log. Purges may come again.
func (l *Log) Apply(at Position, p Purge) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.apply(at, p)
}

func (l *Log) apply(at Position, p Purge) {
	m := &l.hard
	if p.Soft {
		m = &l.soft
	}
	m.add(at, p)
	l.advance(at)
	// The version goes last: an entry that was checked at it was checked with p.
	l.version.Add(1)
}

func (m *marks) add(at Position, p Purge) {
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
func (l *Log) Distrust(at Position) { l.Apply(at, Purge{All: true}) }

func (l *Log) advance(at Position) {
	if at > l.Position() {
		l.position.Store(uint64(at))
	}
}

// verdict is what the purges say of an entry.
type verdict int

const (
	valid verdict = iota
	softPurged
	purged
)

// judge says what the purges say of e. Between two purges it costs a comparison.
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

// The kinds of records in the shared log. Each version of the tags has its own: while
// instances of two versions run side by side, each purges everything where the other
// purges what it cannot name.
const (
	hardRecord = "hard2"
	softRecord = "soft2"
)

// encode gives a purge as a record of the shared log. Tags have no line ends.
func (p Purge) encode() []byte {
	kind := hardRecord
	if p.Soft {
		kind = softRecord
	}
	if p.All {
		return []byte(kind + " all")
	}
	return []byte(kind + "\n" + strings.Join(p.Tags, "\n"))
}

// decodePurge reads a record. One that it cannot read ends everything: somebody
// wanted something ended.
func decodePurge(record []byte) Purge {
	head, tags, found := strings.Cut(string(record), "\n")
	kind, all, _ := strings.Cut(head, " ")
	p := Purge{Soft: kind == softRecord, All: all == "all"}
	if kind != softRecord && kind != hardRecord || !found && !p.All {
		return Purge{All: true}
	}
	if !p.All {
		p.Tags = strings.Split(tags, "\n")
	}
	return p
}

// reach says that all purges up to at have been applied.
func (l *Log) reach(at Position) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance(at)
}
