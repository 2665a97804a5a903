package scale

import (
	"context"
	"sync"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// item is a record of the purge log.
type item struct {
	at     redisstore.Position
	record []byte
	acks   *acks // nil: its writer does not wait
}

// append appends to the log. l.mu is locked, or the server is new.
func (r *server) append(record []byte, a *acks) redisstore.Position {
	r.last = max(uint64(time.Now().UnixMilli())<<16, r.last+1)
	r.log = append(r.log, item{redisstore.Position(r.last), record, a})
	close(r.grown)
	r.grown = make(chan struct{})
	return redisstore.Position(r.last)
}

// Append implements [cache.Shared].
func (l *link) Append(_ context.Context, record []byte) (at redisstore.Position, err error) {
	l.call(&l.n.Appends, 1, func() { at = l.server.append(record, nil) })
	return at, nil
}

// maxAcknowledged is the largest number of other instances that acknowledge a purge, as in
// cache/redisstore/append.go.
const maxAcknowledged = 64

// AppendAwaited implements [cache.Shared].
func (l *link) AppendAwaited(_ context.Context, record []byte) (at redisstore.Position, applied func(context.Context) bool, err error) {
	var a *acks
	others := 0
	l.call(&l.n.Appends, 1, func() {
		if others = l.live - 1; others <= maxAcknowledged {
			a = &acks{writer: l.instance, missing: others, done: make(chan struct{})}
		}
		at = l.server.append(record, a)
	})
	return at, func(context.Context) bool {
		switch {
		case a == nil:
			time.Sleep(l.setup.PurgeWait)
			return false
		case others == 0:
			return true
		}
		over := time.NewTimer(l.setup.PurgeWait)
		defer over.Stop()
		select {
		case <-a.done:
			return true
		case <-over.C:
			return false
		}
	}, nil
}

// acks are the acknowledgements of a purge.
type acks struct {
	writer int

	mu      sync.Mutex
	missing int
	done    chan struct{} // closed once none is missing
}

func (a *acks) receive() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.missing--; a.missing == 0 {
		close(a.done)
	}
}
