package cache

import (
	"errors"
	"sync"
)

// errPanicked is the error of a flight that panicked.
var errPanicked = errors.New("the fetch panicked")

// flights are the lookups in Redis, or the fetches, in progress in this process: one for
// each key.
//
// golang.org/x/sync/singleflight does not suffice. A caller that arrives after a purge must
// not get the result of a fetch that began before it: all such callers share the next
// flight, even if that has landed. And if a waiter may leave, singleflight runs
// each call on a goroutine of its own, whose stack is a tenth of the cost of a miss of 4 KB
// (calbench -only misses); here the first caller may run it.
type flights struct {
	mu    sync.Mutex
	under map[string]*flight
}

// flight is one of them, and its result.
type flight struct {
	done chan struct{} // closed once got and err are set
	got  filled
	err  error

	caller any // for which it is made; set before it lands

	next *flight // the one for callers that got is too old for; nil: none was needed
}

// join returns the flight of key. If it is mine, no other one is in progress, and the caller
// must make it. landed, if not nil, is the one whose result was too old for the caller: all such
// callers share the next one, even if it lands before the last of them joins it.
func (f *flights) join(key string, landed *flight) (to *flight, mine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if landed != nil && landed.next != nil {
		return landed.next, false
	}
	to = f.under[key]
	if mine = to == nil; mine {
		to = &flight{done: make(chan struct{}), err: errPanicked}
		f.under[key] = to
	}
	if landed != nil {
		landed.next = to
	}
	return to, mine
}

// land ends the flight of key. A caller that joins afterwards begins another.
func (f *flights) land(key string, to *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.under, key)
	close(to.done)
}
