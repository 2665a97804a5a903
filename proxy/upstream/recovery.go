package upstream

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"
)

// healthCheckEvery is the pause between health checks of a root that responded 503 with
// Retry-After. WordPress in maintenance sends ten minutes, and is back after one.
const healthCheckEvery = 2 * time.Second

// awaitRecovery checks the health of an unavailable root until it has recovered or its pause
// is over. It does nothing if checks are running.
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
				to.breaker.recovered()
				u.options.Log.Info("root recovered before its Retry-After", zap.String("root", to.name))
			}
		}
	})
}

// goesOn reports whether a root is still unavailable, or again. If not, the checks end, and the
// next pause starts others.
func (a *recoveries) goesOn(to *root) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	to.checked = to.breaker.unavailable() > 0
	return to.checked
}

// recovered reports whether a root responds to the health check. Without a free slot of the
// host it sends none.
func (u *Caller) recovered(to *root) bool {
	slot, err := to.host.bulkhead.enter(to.host.recoveries.ctx, Refresh)
	if err != nil {
		return false
	}
	defer to.host.bulkhead.leave(slot)
	began := time.Now()
	got, err := u.send(to.host.recoveries.ctx, to, u.options.HealthCheck)
	u.observe(to, u.options.HealthCheck, 1, time.Since(began), got, err)
	if err != nil || got.Status == http.StatusTooManyRequests {
		return false
	}
	return got.Status < http.StatusInternalServerError
}

// sleep reports whether it waited for d: false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
