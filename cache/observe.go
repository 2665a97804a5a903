package cache

import "context"

// Observer observes calls on Redis. Its methods are called concurrently.
type Observer interface {
	// Call is called before a call on Redis with one of the names below. It returns the
	// context for that call, and a function that is called at its end.
	Call(ctx context.Context, name string) (_ context.Context, end func(error))

	// Carry adds to life, the context of work that outlives a request, what the observer
	// needs of the request that began the work.
	Carry(life, request context.Context) context.Context
}

// The calls on Redis that a request or a fetch waits for.
const (
	CallGet    = "get"    // reads an entry
	CallLease  = "lease"  // acquires the lease on a key
	CallWait   = "wait"   // waits for its holder
	CallPut    = "put"    // stores an entry, after the response
	CallAppend = "append" // appends a record to the purge log

	// CallConfirm waits until the other instances have applied a purge.
	CallConfirm = "confirm"
)

// observe reports a call on Redis to the observer, unless the breaker is open: then no call
// is made.
func (c *Cache) observe(ctx context.Context, name string) (context.Context, func(error)) {
	if c.options.Observer == nil || c.remote.redis == nil || !c.remote.redis.Up() {
		return ctx, func(error) {}
	}
	return c.options.Observer.Call(ctx, name)
}

// lasting returns the context of work that is begun for a request and outlives it.
func (c *Cache) lasting(request context.Context) context.Context {
	if c.options.Observer == nil {
		return c.ctx
	}
	return c.options.Observer.Carry(c.ctx, request)
}
