package cache

import (
	"github.com/calfacade/calfacade/cache/redisstore"
	"sync/atomic"
	"time"
)

// Entry is a complete answer, made once. It is read-only once it was given to a
// Cache.
type Entry struct {
	Status int
	Fields []Field // header fields, but for what depends on the moment
	ETag   string  // strong, with its quotes
	Body   []byte  // plain
	// Gzip is Body compressed; nil where that does not pay. There is no zstd beside
	// it: it makes 14.3 % of a list in place of 14.8 %, and 30.6 % of a single event
	// in place of 29.3 %, which a third body in memory and in Redis is not worth.
	Gzip []byte
	Tags []string // what the answer shows; a purge of any of them ends it
	Life Life

	// Position is where the purge log stood when the fetch of the answer began:
	// a purge after that may have come too late for it.
	Position redisstore.Position

	// Created is when the fetch began, by the clock of this process. Other
	// processes learn the age instead, for their clocks may be off.
	Created time.Time

	// checked is the version of the log at which the tags were last compared with
	// it, so that a hit between two purges compares one number.
	checked atomic.Uint64

	// held is what of an entry from Redis its bodies keep in memory without need: the head
	// that stood before them, in bytes.
	held int

	// prepared is what was made of the entry to give it faster; nil: nothing.
	prepared atomic.Pointer[prepared]
}

// Field is a header field with its values. The slice is given to every answer
// as it is; nobody may change it.
type Field struct {
	Name   string
	Values []string
}

// Life is how long an entry may be given, counted from its creation.
type Life struct {
	Fresh      time.Duration // without a question
	Revalidate time.Duration // after that: at once, while it is made anew
	OnError    time.Duration // after Fresh: if it cannot be made anew
	Negative   bool          // says that there is nothing; kept in a small part of memory and never in Redis
}

// total is how long the entry is of any use.
func (l Life) total() time.Duration { return l.Fresh + max(l.Revalidate, l.OnError) }

// size is about what the entry has to say, in bytes: what it takes in Redis.
func (e *Entry) size() int {
	n := 200 + len(e.ETag) + len(e.Body) + len(e.Gzip)
	for _, f := range e.Fields {
		n += 40 + len(f.Name)
		for _, v := range f.Values {
			n += 16 + len(v)
		}
	}
	for _, t := range e.Tags {
		n += 16 + len(t)
	}
	return n
}

// age is how old the entry is at now.
func (e *Entry) age(now time.Time) time.Duration { return max(0, now.Sub(e.Created)) }

// withGzip returns the entry with its compressed body beside it.
func (e *Entry) withGzip(compressed []byte) *Entry {
	return &Entry{
		Status: e.Status, Fields: e.Fields, ETag: e.ETag, Body: e.Body, Gzip: compressed,
		Tags: e.Tags, Life: e.Life, Position: e.Position, Created: e.Created,
	}
}
