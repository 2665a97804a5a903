package cache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
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
	Body   []byte  // plain
	// Gzip is Body compressed; nil where that does not pay. There is no zstd: a list takes
	// 14.3 instead of 14.8 % of its size, a single event 30.6 instead of 29.3 %, which is not
	// worth a third body in memory and in Redis.
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

	// Source is the ETag of the entry that this one was made of, see [Cache.Derive]; "" for a fetched one.
	Source string

	// checked is the version of the log with which the tags were last compared, so that a
	// hit between two purges compares one number.
	checked atomic.Uint64

	// prepared is a value that a caller derived from the entry to serve it faster; nil before that.
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
	Negative             bool          // an error such as 404; never stored in Redis
}

// total returns how long the entry may be served at all.
func (l Life) total() time.Duration { return l.Fresh + max(l.StaleWhileRevalidate, l.StaleIfError) }

// hitForMiss is the status of an entry that stands for a response which must not be shared:
// the next requests do not wait for one another.
const hitForMiss = 0

// served reports whether e shows that its key was served before; nil does not.
func (e *Entry) served() bool { return e != nil && !e.Life.Negative && e.Status != hitForMiss }

// age returns the age of the entry at now, by whichever clock says more: the monotonic one stands still
// while the machine is suspended, and the other one may be set back.
func (e *Entry) age(now time.Time) time.Duration {
	return max(0, now.Sub(e.Created), time.Duration(now.UnixNano()-e.Created.UnixNano()))
}

// prepared is a value that a caller derived from an entry.
type prepared struct {
	value any
	size  int // bytes
}

// Prepared returns what [Cache.Prepare] put beside the entry; nil if there is nothing.
func (e *Entry) Prepared() any {
	p := e.prepared.Load()
	if p != nil {
		return p.value
	}
	return nil
}

// The encoding of an entry in Redis: both bodies, an empty line, lines, and a checksum of all that with the
// version and the key, since Redis has only its hash. The lines are the numbers and the ETag; each tag;
// and each value of a field. No part contains a line end. An entry of another version or key, or a damaged one,
// does not decode; see [Decode].
//
// The version covers the meaning of the tags as well: an entry with tags of another version
// would outlive its purges. It and the version of the records (log.go) change together then.
const version = "cfe9"

const checksumSize = 8

// storedStatuses are the statuses of entries: of an item or a list, of errors, and [hitForMiss].
var storedStatuses = []int{hitForMiss, 200, 400, 404}

// separator follows the bodies. The lines do not contain it.
var separator = []byte("\n\n")

// ErrForeign is returned for bytes that are no entry of this version and key.
var ErrForeign = errors.New("not an entry of this version and key")

// Encode encodes e for Redis. began is when its fetch began, by the clock that all instances
// share; Created is by the clock of this process.
func Encode(key string, e *Entry, began time.Time) []byte {
	numbers := fmt.Sprint(e.Status, uint64(e.Position), max(0, began.UnixMilli()), int64(e.Life.Fresh),
		int64(e.Life.StaleWhileRevalidate), int64(e.Life.StaleIfError), int64(e.Aged), len(e.Tags), len(e.Body))
	lines := append([]string{numbers + " " + e.ETag}, e.Tags...)
	for _, f := range e.Fields {
		for _, value := range f.Values {
			lines = append(lines, f.Name+":"+value)
		}
	}
	data := slices.Concat(e.Body, e.Gzip, separator, []byte(strings.Join(lines, "\n")))
	return binary.LittleEndian.AppendUint64(data, checksum(key, data))
}

func checksum(key string, data []byte) uint64 {
	return xxhash.Sum64String(version+key) ^ xxhash.Sum64(data)
}

// Decode decodes an entry of key, and when its fetch began. Its bodies share their memory with
// data. The only error is ErrForeign.
func Decode(key string, data []byte) (e *Entry, began time.Time, err error) {
	data = slices.Clip(data)
	end := len(data) - checksumSize
	bodies := bytes.LastIndex(data[:max(0, end)], separator)
	if bodies < 0 || binary.LittleEndian.Uint64(data[end:]) != checksum(key, data[:end]) {
		return nil, began, ErrForeign
	}
	lines := strings.Split(string(data[bodies+len(separator):end]), "\n")
	var n [9]int64
	texts := strings.SplitN(lines[0], " ", len(n)+1)
	for i := range n {
		if n[i], err = strconv.ParseInt(texts[min(i, len(texts)-1)], 10, 64); err != nil || n[i] < 0 {
			return nil, began, ErrForeign
		}
	}
	tags := int(n[7])
	body := int(n[8])
	lines = lines[1:]
	if len(texts) <= len(n) || tags > len(lines) || body > bodies {
		return nil, began, ErrForeign
	}
	e = &Entry{
		Status: int(n[0]), Position: redisstore.Position(n[1]), Aged: time.Duration(n[6]),
		Life: Life{Fresh: time.Duration(n[3]), StaleWhileRevalidate: time.Duration(n[4]), StaleIfError: time.Duration(n[5])},
		ETag: texts[len(n)], Tags: lines[:tags:tags],
		Body: data[:body],
	}
	if body < bodies { // the capacity of the last body includes the rest of data, which it keeps in memory: see weight
		e.Body = data[:body:body]
		e.Gzip = data[body:bodies]
	}
	if !slices.Contains(storedStatuses, e.Status) {
		return nil, began, ErrForeign // a forged one: clients would wait for the rest of a 304
	}
	for _, line := range lines[tags:] {
		name, value, _ := strings.Cut(line, ":")
		last := len(e.Fields) - 1
		if last >= 0 && e.Fields[last].Name == name {
			e.Fields[last].Values = append(e.Fields[last].Values, value)
		} else {
			e.Fields = append(e.Fields, Field{Name: name, Values: []string{value}})
		}
	}
	return e, time.UnixMilli(n[2]), nil
}
