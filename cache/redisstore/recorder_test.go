package redisstore

import (
	"context"
	"slices"
	"sync"
	"testing"
)

// notice is one call of a Follower.
type notice struct {
	what   string // hold, apply, distrust, caught or lost
	at     Position
	record string
}

// recorder is a Follower that records its calls.
type recorder struct {
	t       testing.TB
	mu      sync.Mutex
	all     []notice
	changed chan struct{} // closed and replaced by each notice
	hold    chan struct{} // Apply waits for it; nil: it does not wait
}

func newRecorder(t testing.TB) *recorder { return &recorder{t: t, changed: make(chan struct{})} }

// follow follows r until the test ends, or stop is called.
func follow(t testing.TB, r *Store) (rec *recorder, stop func()) {
	rec = newRecorder(t)
	return rec, rec.follow(r)
}

func (r *recorder) follow(from *Store) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		from.Follow(ctx, r)
	}()
	stop = func() { cancel(); <-done }
	r.t.Cleanup(stop)
	return stop
}

func (r *recorder) add(e notice) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, e)
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *recorder) Apply(at Position, record []byte) {
	r.mu.Lock()
	hold := r.hold
	r.mu.Unlock()
	if hold != nil {
		r.add(notice{"hold", at, string(record)})
		<-hold
	}
	r.add(notice{"apply", at, string(record)})
}
func (r *recorder) Distrust(at Position) { r.add(notice{"distrust", at, ""}) }
func (r *recorder) Caught(at Position)   { r.add(notice{"caught", at, ""}) }
func (r *recorder) Checking()            {}
func (r *recorder) Lost()                { r.add(notice{"lost", 0, ""}) }

func (r *recorder) since(n int) []notice {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all[n:])
}

// upTo returns the notices up to index i, but for those that Redis was out of reach: a connection has
// less time than other calls, so that a stall at the start looks like that.
func (r *recorder) upTo(i int) []notice {
	return slices.DeleteFunc(r.since(0)[:i+1], func(e notice) bool { return e.what == "lost" })
}

func (r *recorder) len() int { return len(r.since(0)) }

// await waits until ok accepts a notice after the first n, and returns its index.
func (r *recorder) await(what string, n int, ok func(notice) bool) int {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), aLongTime)
	defer cancel()
	for i := n; ; {
		r.mu.Lock()
		all, changed := r.all, r.changed
		r.mu.Unlock()
		for ; i < len(all); i++ {
			if ok(all[i]) {
				return i
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			r.t.Fatalf("no notice: %s; recorded: %v", what, last(all[n:], 40))
		}
	}
}

func last(all []notice, n int) []notice { return all[max(0, len(all)-n):] }

// caught waits for Caught at or behind at.
func (r *recorder) caught(n int, at Position) int {
	r.t.Helper()
	return r.await("caught", n, func(e notice) bool { return e.what == "caught" && e.at >= at })
}

func (r *recorder) applied(n int, record string) int {
	r.t.Helper()
	return r.await("apply "+record, n, func(e notice) bool { return e.what == "apply" && e.record == record })
}

func (r *recorder) distrusted(n int) int {
	r.t.Helper()
	return r.await("distrust", n, func(e notice) bool { return e.what == "distrust" })
}

// covers fails the test unless the notices up to index i apply the record at its
// position, or distrust all before it.
func (r *recorder) covers(i int, record string, at Position) {
	r.t.Helper()
	if !slices.ContainsFunc(r.since(0)[:i+1], func(e notice) bool {
		return e.what == "apply" && e.at == at && e.record == record || e.what == "distrust" && e.at >= at
	}) {
		r.t.Errorf("%q at %d was missed; recorded: %v", record, at, last(r.since(0)[:i+1], 40))
	}
}

func records(all []notice) (records []string) {
	for _, e := range all {
		if e.what == "apply" {
			records = append(records, e.record)
		}
	}
	return records
}

func mustAppend(t testing.TB, r *Store, record string) (at Position) {
	t.Helper()
	eventually(t, "append "+record, func() (ok bool) {
		var err error
		at, err = r.Append(context.Background(), []byte(record))
		return err == nil
	})
	return at
}
