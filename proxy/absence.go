package proxy

import (
	"context"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"
)

// askAgain is how long after an answer a root that asked for a pause by a 503 is asked
// whether it is back. WordPress in maintenance says ten minutes, and is back after one.
const askAgain = 2 * time.Second

// absences asks the roots of a host whether they are back. Each is asked by one call at a
// time, also for facades that come later and share the host.
type absences struct {
	ctx    context.Context // of the calls; ends with close
	cancel context.CancelFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

func newAbsences() *absences {
	a := new(absences)
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// close ends what is under way, and waits for it.
func (a *absences) close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.cancel()
	a.running.Wait()
}

// awaitBack asks a root that is absent until it is back or its pause is over, if
// nobody does so already.
func (u *upstream) awaitBack(to *upstreamRoot) {
	a := to.host.absences
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || to.awaited || u.smallest == nil {
		return
	}
	to.awaited = true
	a.running.Go(func() {
		for sleep(a.ctx, askAgain) && a.goesOn(to) {
			if u.isBack(to) {
				to.breaker.returned()
				u.options.Log.Info("a root is back before its Retry-After", zap.String("root", to.name))
			}
		}
	})
}

// goesOn reports whether a root is still absent, or again. If not, the next absence is
// another's to watch.
func (a *absences) goesOn(to *upstreamRoot) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	to.awaited = to.breaker.absence() > 0
	return to.awaited
}

// isBack reports whether a root answers a list. While its host has no place for the
// call it is not asked.
func (u *upstream) isBack(to *upstreamRoot) bool {
	place, err := to.host.bulkhead.enter(to.host.absences.ctx, refreshes)
	if err != nil {
		return false
	}
	defer to.host.bulkhead.leave(place)
	began := time.Now()
	got, err := u.send(to.host.absences.ctx, to, u.smallest)
	u.observe(to, u.smallest, 1, time.Since(began), got, err)
	if err != nil || got.status == http.StatusTooManyRequests {
		return false
	}
	return got.status < http.StatusInternalServerError
}
