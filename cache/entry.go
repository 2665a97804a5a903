package cache

import (
	"sync/atomic"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Entry is a complete response. It is read-only once a Cache has it.
type Entry struct {
	Status int
	Fields []Field // header fields, except those that depend on the moment
	ETag   string  // a strong one, with its quotes
	Body   []byte  // plain
	// Gzip is Body compressed; nil where that does not pay, or is not done yet. There is no
	// zstd: a list takes 14.3 instead of 14.8 % of its size, a single event 30.6 instead of
	// 29.3 %, which is not worth a third body in memory and in Redis.
	Gzip []byte
	Tags []string // what the response shows; a purge of any of them purges the entry
	Life Life

	// Aged is the age that the response had when the fetch began, if a cache in front of the
	// source served it. Life counts from then on.
	Aged time.Duration

	// Position is the position of the purge log when the fetch began: the response may
	// predate any purge after it.
	Position redisstore.Position

	// Created is when the fetch began, by the clock of this process. The encoded entry has
	// the time of Redis instead.
	Created time.Time

	// checked is the version of the log with which the tags were last compared, so that a
	// hit between two purges compares one number.
	checked atomic.Uint64

	// held is the size of the encoded entry, which the bodies of an entry from Redis share, in
	// bytes; 0 for another entry.
	held int

	// prepared is what a caller derived from the entry to serve it faster; nil: nothing.
	prepared atomic.Pointer[prepared]
}

// Field is a header field with its values. All responses share the slice, which must not be
// modified.
type Field struct {
	Name   string
	Values []string
}

// Life is how long an entry may be served, counted from its creation.
type Life struct {
	Fresh                time.Duration // the freshness lifetime
	StaleWhileRevalidate time.Duration // stale-while-revalidate: after Fresh, while it is fetched again
	StaleIfError         time.Duration // stale-if-error: after Fresh, if the fetch fails
	Negative             bool          // an error such as 404; stored in a small part of memory and never in Redis
}

// total returns how long the entry may be served at all.
func (l Life) total() time.Duration { return l.Fresh + max(l.StaleWhileRevalidate, l.StaleIfError) }

// hitForMiss is the status of an entry that stands for a response which must not be shared:
// the next requests do not wait for one another.
const hitForMiss = 0

// age returns the age of the entry at now.
func (e *Entry) age(now time.Time) time.Duration { return max(0, now.Sub(e.Created)) }

// withGzip returns the entry with its compressed body beside it.
func (e *Entry) withGzip(compressed []byte) *Entry {
	return &Entry{
		Status: e.Status, Fields: e.Fields, ETag: e.ETag, Body: e.Body, Gzip: compressed,
		Tags: e.Tags, Life: e.Life, Aged: e.Aged, Position: e.Position, Created: e.Created,
	}
}

// prepared is what a caller has derived from an entry.
type prepared struct {
	what any
	size int // bytes
}

// Prepared returns what [Cache.Prepare] put beside the entry; nil if there is nothing.
func (e *Entry) Prepared() any {
	if p := e.prepared.Load(); p != nil {
		return p.what
	}
	return nil
}
