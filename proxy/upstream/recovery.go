package upstream

import (
	"context"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"
)

// healthCheckEvery is how long after an answer a root that asked for a pause by a 503 is asked
// whether it is back. WordPress in maintenance says ten minutes, and is back after one.
const healthCheckEvery = 2 * time.Second

// recoveries asks the roots of a host whether they are back. Each is asked by one call at a
// time, also for facades that come later and share the host.
type recoveries struct {
	ctx    context.Context // of the calls; ends with close
	cancel context.CancelFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

func newRecoveries() *recoveries {
	a := new(recoveries)
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// close ends what is under way, and waits for it.
func (a *recoveries) close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.cancel()
	a.running.Wait()
}

// awaitRecovery asks a root that is absent until it is back or its pause is over, if
// nobody does so already.
func (u *Caller) awaitRecovery(to *root) {
	a := to.host.recoveries
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || to.checked || u.options.HealthCheck == nil {
		return
	}
	to.checked = true
	a.running.Go(func() {
		for sleep(a.ctx, healthCheckEvery) && a.goesOn(to) {
			if u.recovered(to) {
				to.breaker.returned()
				u.options.Log.Info("a root is back before its Retry-After", zap.String("root", to.name))
			}
		}
	})
}

// goesOn reports whether a root is still absent, or again. If not, the next absence is
// another's to watch.
func (a *recoveries) goesOn(to *root) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	to.checked = to.breaker.absence() > 0
	return to.checked
}

// recovered reports whether a root answers a list. While its host has no place for the
// call it is not asked.
func (u *Caller) recovered(to *root) bool {
	place, err := to.host.bulkhead.enter(to.host.recoveries.ctx, Refresh)
	if err != nil {
		return false
	}
	defer to.host.bulkhead.leave(place)
	began := time.Now()
	got, err := u.send(to.host.recoveries.ctx, to, u.options.HealthCheck)
	u.observe(to, u.options.HealthCheck, 1, time.Since(began), got, err)
	if err != nil || got.Status == http.StatusTooManyRequests {
		return false
	}
	return got.Status < http.StatusInternalServerError
}
