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
	known := r.state.Await(ctx, r.cache.options.Clock, r.redis.Up)
	if ctx.Err() != nil && !known {
		return false // no client is left to answer
	}
	return known || !r.cache.options.FetchWithoutRedis
}
