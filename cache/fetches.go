package cache

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Fetch fetches a response from the source. Its context ends with a request only if no other
// request waits for the response.
type Fetch func(ctx context.Context, why Reason) (Fetched, error)

// Reason is why a response is fetched.
type Reason struct {
	// Known reports that the key was served before: an entry is stored, which expired or was purged.
	// Keys that requests guess have no entry.
	Known bool

	// Refresh reports that no client waits for the response: a stale entry is served meanwhile.
	Refresh bool

	// Waited is for how long the caller has waited for the fetch of another instance, which brought
	// nothing that may be served; 0: it has not waited.
	Waited time.Duration
}

// Fetched is the result of a fetch.
type Fetched struct {
	Entry *Entry
	Store bool // it may be stored, for Entry.Life
	Share bool // requests that waited may be served it; implied by Store

	// Refused reports that the error concerns the caller alone for which the fetch was made: other
	// callers that wait for it fetch again.
	Refused bool
}

// How is how a request was served.
type How string

// The values are the terms of RFC 9211 (Cache-Status) where it has them.
const (
	Hit     How = "hit"      // fresh
	Stale   How = "stale"    // while it is fetched again, or because that failed
	Miss    How = "uri-miss" // fetched
	Expired How = "expired"  // fetched, because the stored response is too old (fwd=stale)
)

// Result is a response, with how it was served.
type Result struct {
	Entry     *Entry
	How       How
	Age       time.Duration // since its fetch began
	TTL       time.Duration // how long it is still fresh; negative for a stale one
	Stored    bool          // fetched, and stored
	Collapsed bool          // fetched by another request
	Err       error         // why a stale response is served; nil during stale-while-revalidate

	// Fleeting reports that no other cache may serve the response again: a write is pending or a tag
	// was purged softly, a purge overtook the fetch, or this cache does not know the purges.
	Fleeting bool
}

// result returns e as a response at now.
func (l *Log) result(e *Entry, way How, now time.Time) Result {
	age := e.age(now)
	_, until := l.judge(e)
	r := Result{Entry: e, How: way, Age: age, TTL: e.Life.Fresh - age, Fleeting: !until.IsZero()} // a write to a tag of it is pending
	if r.Fleeting {
		r.TTL = min(r.TTL, until.Sub(now))
	}
	if way == Stale {
		r.TTL = min(r.TTL, 0) // a soft purge makes young entries stale
		r.Fleeting = r.Fleeting || age < e.Life.Fresh
	}
	return r
}

// filled is the result of a shared fetch.
type filled struct {
	result  Result
	share   bool   // with the callers that waited
	refused bool   // see [Fetched]
	entry   *Entry // stored meanwhile, instead of a result, or beside an error: every caller judges it; nil: nothing was found
}

// errPanicked is the error of a shared fetch that panicked.
var errPanicked = errors.New("the fetch panicked")

// sharedFetches are the lookups in Redis, or the fetches from the source, that are in progress in
// this process: one for each key.
//
// golang.org/x/sync/singleflight does not suffice. A caller that arrives after a purge must
// not get the result of a fetch that began before it: all such callers share the next
// fetch, even if that has ended. And if a waiter may leave, singleflight runs
// each call on a goroutine of its own, whose stack is a tenth of the cost of a miss of 4 KB
// (calbench -only misses); here the first caller may run it.
type sharedFetches struct {
	mu      sync.Mutex
	current map[string]*sharedFetch
}

// sharedFetch is one of them, and its result.
type sharedFetch struct {
	done    chan struct{} // closed once outcome and err are set
	outcome filled
	err     error

	caller any // for which the fetch is made; set before it ends

	next *sharedFetch // the fetch of callers for which outcome is too old; nil: no caller needed another
}

// join returns the shared fetch of key. If it is mine, no other one is in progress, and the caller
// must make it. previous, if not nil, is the one whose result was too old for the caller: all such
// callers share the next one, even if it ends before the last of them joins it.
func (f *sharedFetches) join(key string, previous *sharedFetch) (current *sharedFetch, mine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if previous != nil && previous.next != nil {
		return previous.next, false
	}
	current = f.current[key]
	mine = current == nil
	if mine {
		current = &sharedFetch{done: make(chan struct{}), err: errPanicked}
		f.current[key] = current
	}
	if previous != nil {
		previous.next = current
	}
	return current, mine
}

// end ends the shared fetch of key. A caller that joins afterwards begins another.
func (f *sharedFetches) end(key string, fetch *sharedFetch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.current, key)
	close(fetch.done)
}
