package proxy

import (
	"context"
	"net/netip"
	"time"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// Caller returns the client of a lookup, for [cache.Options.Caller].
func Caller(ctx context.Context) any { return upstream.ClientOf(ctx) }

// client returns the address of the client.
func (x *exchange) client() netip.Addr { return x.edge.Client(x.in) }

// lookupContext is the context of a lookup in the cache: that of the request, with the
// client. Only a lookup that waits determines the client; a hit does not pay for it.
type lookupContext exchange

func (x *exchange) lookupContext() context.Context { return (*lookupContext)(x) }

// Deadline implements [context.Context].
func (c *lookupContext) Deadline() (time.Time, bool) { return c.in.Context().Deadline() }

// Done implements [context.Context].
func (c *lookupContext) Done() <-chan struct{} { return c.in.Context().Done() }

// Err implements [context.Context].
func (c *lookupContext) Err() error { return c.in.Context().Err() }

// Value implements [context.Context].
func (c *lookupContext) Value(key any) any {
	if key == (upstream.ClientKey{}) {
		return (*exchange)(c).client()
	}
	return c.in.Context().Value(key)
}

// callContext is the context of calls to the site. It has the id of the request, which joins
// the logs of both, and the client.
type callContext struct {
	context.Context
	id     string
	client netip.Addr
}

type idKey struct{}

// idOf returns the id of the request that causes a call; "" without one.
func idOf(ctx context.Context) string {
	id, _ := ctx.Value(idKey{}).(string)
	return id
}

// Value implements [context.Context].
func (c *callContext) Value(key any) any {
	switch key {
	case idKey{}:
		return c.id
	case upstream.ClientKey{}:
		return c.client
	}
	return c.Context.Value(key)
}

// context returns the context of calls for this request alone.
func (x *exchange) context() context.Context { return x.callContext(x.in.Context(), x.client()) }

// callContext returns the context of calls that the request causes, on behalf of a client.
// Responses do not depend on it.
func (x *exchange) callContext(ctx context.Context, client netip.Addr) context.Context {
	return &callContext{ctx, x.id, client}
}
