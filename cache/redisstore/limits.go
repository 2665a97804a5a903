package redisstore

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// patience is the timeout of a call that no request waits for. If [Options.Brief] is longer, that
// is its timeout too.
const patience = 500 * time.Millisecond

// connections is the default number of connections to a node. Half of them are for lookups,
// a quarter for storing, and the rest for purges and leases (see [Store.withSlot]).
//
// Redis answers one call after the other, so that more calls at once only wait in Redis, or
// for the processor that they share with it: on one core, under 64 clients with 256 lists,
// 12 lookups at once never come near their timeout, and of 18 many do.
const connections = 24

// limits disables the retries of go-redis. With its defaults a dead Redis costs 1.7 s a
// call and a hung one 5 s.
//
// The timeouts here are only outer bounds; the deadline of each call's context applies. A
// dial does not end with the call that caused it: it goes on in the background and serves
// the next, so that a slow handshake is paid once.
func limits(o *redis.UniversalOptions, brief, timeout time.Duration) *redis.UniversalOptions {
	o.ContextTimeoutEnabled = true
	o.MaxRetries = -1
	bound := max(patience, brief, timeout)
	o.DialTimeout = bound
	o.DialerRetries = 1
	o.ReadTimeout = bound
	o.WriteTimeout = bound
	// Shorter than the timeout of a lookup: waiting for a connection is saturation here, and no sign of
	// a Redis that is down.
	o.PoolTimeout = brief / 2
	if o.PoolSize == 0 {
		o.PoolSize = connections
	}
	o.Protocol = 2          // nothing here needs the push messages of RESP3
	o.PipelinePoolSize = -1 // one pool is enough
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return o
}

// silence stops go-redis from printing to stderr, once: it returns the same as errors,
// which are counted.
var silence = sync.OnceFunc(func() { redis.SetLogger(quiet{}) })

type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}
