package cache

import (
	"context"
	"time"
)

// current reports whether memory may be served at now without a look at the log. It may
// while the log cannot be read, unless [Options.FetchWithoutRedis] is set.
func (r *remote) current(now time.Time) bool {
	return r.redis == nil || r.state.Current(now) || r.state.Lost() && !r.cache.options.FetchWithoutRedis
}

// catchUp waits until the end of the log is known, or the log is known to be out of
// reach. That takes two attempts, since the first failure may come of a pause of this
// process. If the circuit to Redis is open it waits no longer than the purge wait. It
// reports whether memory may be served.
func (r *remote) catchUp(ctx context.Context) bool {
	over := time.NewTicker(r.state.Wait)
	defer over.Stop()
	for {
		changed := r.state.Changes()
		switch {
		case r.current(r.cache.options.Clock()):
			return true
		case r.state.Lost():
			return false
		}
		select {
		case <-changed:
		case <-over.C:
			if !r.redis.Up() {
				return !r.cache.options.FetchWithoutRedis
			}
		case <-ctx.Done():
			return false // no client is left to answer
		}
	}
}
