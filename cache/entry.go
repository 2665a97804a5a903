package cache

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Entry is a complete response. It is read-only once a Cache has it.
type Entry struct {
	Status int
	Fields []Field // header fields, except those that depend on the moment
	ETag   string  // a strong one, with its quotes
	Body   []byte  `json:"-"` // plain
	// Gzip is Body compressed; nil where that does not pay, or is not done yet. There is no
	// zstd: a list takes 14.3 instead of 14.8 % of its size, a single event 30.6 instead of
	// 29.3 %, which is not worth a third body in memory and in Redis.
	Gzip []byte   `json:"-"`
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
	Created time.Time `json:"-"`

	// checked is the version of the log with which the tags were last compared, so that a
	// hit between two purges compares one number.
	checked atomic.Uint64

	// prepared has what a caller derived from the entry to serve it faster; nil: nothing.
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

// age returns the age of the entry at now, by whichever clock says more: the monotonic one stands still
// while the machine is suspended, and the other one may be set back.
func (e *Entry) age(now time.Time) time.Duration {
	return max(0, now.Sub(e.Created), time.Duration(now.UnixNano()-e.Created.UnixNano()))
}

// withGzip returns the entry with its compressed body beside it.
func (e *Entry) withGzip(compressed []byte) *Entry {
	return &Entry{
		Status: e.Status, Fields: e.Fields, ETag: e.ETag, Body: e.Body, Gzip: compressed,
		Tags: e.Tags, Life: e.Life, Aged: e.Aged, Position: e.Position, Created: e.Created,
	}
}

// prepared has what a caller derived from an entry.
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

// The encoding of an entry in Redis: a version, a line of JSON, both bodies, and a checksum of all that.
// The line has the key, since Redis has only its hash. An entry of another version or key, or a damaged
// one, does not decode; see [Decode].
//
// The version covers the meaning of the tags as well: an entry with tags of another version
// would outlive its purges. It and the version of the records (log.go) change together then.
const version = "cfe8"

const checksumSize = 8

// head is the line of an encoded entry.
type head struct {
	*Entry
	Key   string
	Made  int64 // when the fetch began, by the clock that all instances share, in ms since 1970
	Plain int   // bytes of Body; the rest is Gzip
}

// ErrForeign is returned for bytes that are no entry of this version and key.
var ErrForeign = errors.New("not an entry of this version and key")

// Encode encodes e for Redis. made is when its fetch began, by the clock that all instances
// share; Created is by the clock of this process.
func Encode(key string, e *Entry, made time.Time) []byte {
	line, err := json.Marshal(head{e, key, made.UnixMilli(), len(e.Body)})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return checksummed(slices.Concat([]byte(version), line, []byte("\n"), e.Body, e.Gzip))
}

func checksummed(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b)) }

// Decode decodes an entry of key, and when its fetch began. The only error is ErrForeign.
func Decode(key string, data []byte) (e *Entry, made time.Time, err error) {
	end := len(data) - checksumSize
	if end < len(version) || string(data[:len(version)]) != version ||
		binary.LittleEndian.Uint64(data[end:]) != xxhash.Sum64(data[:end]) {
		return nil, made, ErrForeign
	}
	line, bodies, _ := bytes.Cut(data[len(version):end], []byte("\n"))
	h := head{Entry: new(Entry)}
	if json.Unmarshal(line, &h) != nil || h.Key != key || h.Plain < 0 || h.Plain > len(bodies) {
		return nil, made, ErrForeign
	}
	if e = h.Entry; e.Status != hitForMiss && (e.Status < 200 || e.Status > 599) {
		return nil, made, ErrForeign // net/http would panic
	}
	// Copies, so that the memory of data is free again; nil where there is no body.
	e.Body, e.Gzip = append([]byte(nil), bodies[:h.Plain]...), append([]byte(nil), bodies[h.Plain:]...)
	return e, time.UnixMilli(h.Made), nil
}
