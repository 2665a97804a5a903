package scale

import (
	"context"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// tail follows the log for an instance, as cache/redisstore/follow.go does: it checks the
// end of the log several times a second, and in between waits for records.
type tail struct {
	*link
	follower redisstore.Follower
	next     int // index of the first item that is not applied
}

// Follow implements [cache.Shared].
func (l *link) Follow(ctx context.Context, f redisstore.Follower) {
	time.Sleep(l.starts)
	t := &tail{link: l, follower: f}
	l.mu.Lock()
	l.live++
	f.Distrust(l.log[0].at)
	l.mu.Unlock()
	for ctx.Err() == nil {
		due := time.Now().Add(l.setup.PurgeWait * 2 / 5)
		t.check()
		for idle := false; !idle && time.Now().Before(due); {
			idle = t.read(ctx)
		}
	}
}

// check reads the log to its end.
func (t *tail) check() {
	t.follower.Checking()
	var items []item
	var end redisstore.Position
	t.call(&t.n.Checks, perCheck, func() { items, end = t.log[t.next:], redisstore.Position(t.last) })
	t.apply(items)
	t.follower.Caught(end)
}

// read waits for items for as long as a check is not due, and applies them.
func (t *tail) read(ctx context.Context) (idle bool) {
	time.Sleep(t.oneWay)
	over := time.NewTimer(t.setup.PurgeWait * 2 / 5)
	defer over.Stop()
	for first := true; ; first = false {
		t.mu.Lock()
		items, grown := t.log[t.next:], t.grown
		if first {
			t.n.Reads++
		}
		t.mu.Unlock()
		if len(items) > 0 {
			time.Sleep(t.oneWay)
			t.apply(items)
			return false
		}
		select {
		case <-grown:
		case <-over.C:
			time.Sleep(t.oneWay)
			return true
		case <-ctx.Done():
			return true
		}
	}
}

// apply passes items to the instance, and acknowledges those whose writers wait.
func (t *tail) apply(items []item) {
	t.next += len(items)
	writers := map[int]bool{}
	for _, i := range items {
		if i.record != nil {
			t.follower.Apply(i.at, i.record)
		}
		if i.acks != nil && i.acks.writer != t.instance {
			writers[i.acks.writer] = true
		}
	}
	if len(writers) == 0 {
		return
	}
	// One message for each writer, in one round trip.
	t.call(&t.n.Acks, int64(len(writers)), func() {})
	for _, i := range items {
		if i.acks != nil && i.acks.writer != t.instance {
			i.acks.receive()
		}
	}
}
