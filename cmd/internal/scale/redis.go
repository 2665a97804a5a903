package scale

import (
	"context"
	"sync"
	"time"
)

// server is the model of the Redis that the instances share. It answers at once: the time
// of a call is that of the network.
type server struct {
	setup Setup

	mu      sync.Mutex
	entries map[string]stored
	leases  map[string]holding
	log     []item
	grown   chan struct{} // closed by the next append
	last    uint64        // position of the last item
	live    int           // instances that follow the log
	n       Commands
}

// stored is an entry.
type stored struct {
	data    []byte
	expires time.Time
}

func newServer(s Setup) *server {
	r := &server{setup: s, entries: map[string]stored{}, leases: map[string]holding{}, grown: make(chan struct{})}
	r.append(nil, nil) // the mark with which a log begins
	return r
}

// link is the connection of an instance to the server. It implements [cache.Shared].
type link struct {
	*server
	instance int
	oneWay   time.Duration
	starts   time.Duration // after which it begins to follow the log
}

// call sends n commands of a kind, and does on the server what they do.
func (l *link) call(kind *int64, n int64, do func()) {
	time.Sleep(l.oneWay)
	l.mu.Lock()
	*kind += n
	do()
	l.mu.Unlock()
	time.Sleep(l.oneWay)
}

// Up implements [cache.Shared].
func (l *link) Up() bool { return true }

// Now implements [cache.Shared].
func (l *link) Now() time.Time { return time.Now() }

// PurgeWait implements [cache.Shared].
func (l *link) PurgeWait() time.Duration { return l.setup.PurgeWait }

// Get implements [cache.Shared].
func (l *link) Get(_ context.Context, key string) (data []byte, ok bool) {
	l.call(&l.n.Lookups, 1, func() {
		if e := l.entries[key]; time.Now().Before(e.expires) {
			data, ok = e.data, true
		}
	})
	return data, ok
}

// Put implements [cache.Shared].
func (l *link) Put(_ context.Context, key string, data []byte, life time.Duration) {
	l.call(&l.n.Stores, 1, func() { l.entries[key] = stored{data, time.Now().Add(life)} })
}
