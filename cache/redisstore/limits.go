package redisstore

import (
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// connections is how many a node has for calls, where the URL does not say. Half
// of them are for lookups, a quarter for storing, and the rest for purges and
// leases (see [Redis.inTurn]).
//
// Redis answers one call after the other, so that more of them at once only wait
// in Redis, or for the processor that they share with it: on one core, under 64
// clients with 256 lists, 12 lookups at once never come near their budget, and of
// 18 enough do to take Redis for dead again and again.
const connections = 24

// limits sets what go-redis may do on its own: next to nothing. As it comes a
// dead Redis costs 1.7 s a call and a hung one 5 s.
//
// The times here are only the outer bounds; the deadline of each call's context
// is what holds. A dial is not ended with the call that wanted it: it goes on in
// the background and serves the next, so a slow handshake is paid once.
func limits(o *redis.UniversalOptions, crowd time.Duration) *redis.UniversalOptions {
	o.ContextTimeoutEnabled = true
	o.MaxRetries = -1
	o.DialTimeout = patience
	o.DialerRetries = 1
	o.ReadTimeout = patience
	o.WriteTimeout = patience
	// Shorter than the budget: waiting for a connection is our own crowd and no
	// sign of a Redis that is down.
	o.PoolTimeout = crowd
	if o.PoolSize == 0 {
		o.PoolSize = connections
	}
	if o.Protocol == 0 {
		o.Protocol = 2 // nothing here needs what RESP3 pushes
	}
	o.PipelinePoolSize = -1 // one pool is enough
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return o
}
