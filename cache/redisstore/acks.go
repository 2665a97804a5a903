package redisstore

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// acks are the purges of this instance that others may yet acknowledge.
type acks struct {
	count atomic.Uint64

	mu     sync.Mutex
	awaits map[string]*ackSet // by number
}

// ackSet is the instances that have applied one purge.
type ackSet struct {
	changed chan struct{} // has a value after from has grown

	mu   sync.Mutex
	from map[string]bool
}

// expect begins to collect the acknowledgements of a purge that carries the token.
func (a *acks) expect(writer string) (set *ackSet, token string, forget func()) {
	number := strconv.FormatUint(a.count.Add(1), 10)
	set = &ackSet{changed: make(chan struct{}, 1), from: map[string]bool{}}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.awaits == nil {
		a.awaits = map[string]*ackSet{}
	}
	a.awaits[number] = set
	return set, writer + " " + number, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.awaits, number)
	}
}

// receive takes a message of another instance: its ID, and the numbers of the purges that
// it has applied.
func (a *acks) receive(message string) {
	from, numbers, _ := strings.Cut(message, " ")
	a.mu.Lock()
	defer a.mu.Unlock()
	for number := range strings.SplitSeq(numbers, " ") {
		if set := a.awaits[number]; set != nil {
			set.add(from)
		}
	}
}

func (s *ackSet) add(instance string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from[instance] = true
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// await waits until all of live but self have acknowledged the purge.
func (s *ackSet) await(ctx context.Context, self string, live []string) bool {
	for {
		if s.complete(self, live) {
			return true
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
			return false
		}
	}
}

func (s *ackSet) complete(self string, live []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, instance := range live {
		if instance != self && !s.from[instance] {
			return false
		}
	}
	return true
}
