package cache

import (
	"errors"
	"sync"
)

// errFell says that a flight ended with neither an answer nor an error: it panicked.
var errFell = errors.New("the fetch did not end well")

// flights are what is under way in this process, once for each key: lookups in
// Redis, and fetches.
//
// golang.org/x/sync/singleflight has a goroutine of its own for each, where those
// who wait may leave: with its stack that is a tenth of a miss of 4 KB (calbench
// -only misses). Here the first who asks may fly it on its own.
type flights[T any] struct {
	mu    sync.Mutex
	under map[string]*flight[T]
}

// flight is one of them, and what came of it.
type flight[T any] struct {
	done chan struct{} // closed once got and err are set
	got  T
	err  error

	company company // who joined it

	next *flight[T] // the one for those whom got came too early for; nil: none was needed
}

// join gives the flight of key. If it is the caller's, no other one is under way,
// and the caller must have it flown.
func (f *flights[T]) join(key string) (to *flight[T], mine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.joinLocked(key)
}

// joinNext is join for those who waited for a flight of key that has landed. They share
// the next one, also if it lands before the last of them asks for it.
func (f *flights[T]) joinNext(key string, landed *flight[T]) (to *flight[T], mine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if landed.next != nil {
		return landed.next, false
	}
	landed.next, mine = f.joinLocked(key)
	return landed.next, mine
}

func (f *flights[T]) joinLocked(key string) (to *flight[T], mine bool) {
	if to := f.under[key]; to != nil {
		return to, false
	}
	if f.under == nil {
		f.under = map[string]*flight[T]{}
	}
	to = &flight[T]{done: make(chan struct{}), err: errFell}
	f.under[key] = to
	return to, true
}

// fly makes the flight of key. Whoever joins once it has landed begins another.
func (f *flights[T]) fly(key string, to *flight[T], do func() (T, error)) {
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.under, key)
		close(to.done)
	}()
	to.got, to.err = do()
}
