package cache

import "context"

// Observer is told what a cache waits for. Its methods are called by many
// goroutines at once.
type Observer interface {
	// Call is told that a call on Redis begins, by one of the names below, and
	// gives the context that it is made with and what is to be called at its end.
	Call(ctx context.Context, name string) (_ context.Context, end func(error))

	// Carry gives life, the context of what outlives a request, what else is to be
	// known of the request that it was begun for.
	Carry(life, request context.Context) context.Context
}

// The calls on Redis that a request or a fetch waits for.
const (
	CallGet    = "get"    // an entry
	CallLease  = "lease"  // the right to fetch
	CallWait   = "wait"   // for whoever has it
	CallPut    = "put"    // an entry, after the answer has gone
	CallAppend = "append" // a purge

	// CallConfirm waits for the other instances to apply it.
	CallConfirm = "confirm"
)

// observe begins a call on Redis, unless it is known to be down: that would be
// none.
func (c *Cache) observe(ctx context.Context, name string) (context.Context, func(error)) {
	if c.options.Observer == nil || c.remote.redis == nil || !c.remote.redis.Up() {
		return ctx, func(error) {}
	}
	return c.options.Observer.Call(ctx, name)
}

// lasting gives the context for what is begun for a request and outlives it.
func (c *Cache) lasting(request context.Context) context.Context {
	if c.options.Observer == nil {
		return c.ctx
	}
	return c.options.Observer.Carry(c.ctx, request)
}
