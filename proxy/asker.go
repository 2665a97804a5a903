package proxy

import (
	"context"
	"net/netip"
	"time"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// Caller is [cache.Options.Caller] for what a facade caches.
func Caller(ctx context.Context) any { return upstream.ClientOf(ctx) }

// asker is who sent the request.
func (x *exchange) asker() netip.Addr { return x.edge.Client(x.in) }

// lookupContext is that of the request, for a lookup in the cache: one that has to wait
// asks who the asker is. A hit, which does not, pays nothing for it.
type lookupContext exchange

func (x *exchange) lookup() context.Context { return (*lookupContext)(x) }

// Deadline implements [context.Context].
func (c *lookupContext) Deadline() (time.Time, bool) { return c.in.Context().Deadline() }

// Done implements [context.Context].
func (c *lookupContext) Done() <-chan struct{} { return c.in.Context().Done() }

// Err implements [context.Context].
func (c *lookupContext) Err() error { return c.in.Context().Err() }

// Value implements [context.Context].
func (c *lookupContext) Value(key any) any {
	if key == (upstream.ClientKey{}) {
		return (*exchange)(c).asker()
	}
	return c.in.Context().Value(key)
}

// callContext is that of calls to the site. It bears a request's id, so that the log of
// the site and this one's can be read together.
type callContext struct {
	context.Context
	id    string
	asker netip.Addr
}

type idKey struct{}

// idOf gives the id of the request that a call is made for; "" without one.
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
		return c.asker
	}
	return c.Context.Value(key)
}

// context is that of calls for this request alone.
func (x *exchange) context() context.Context { return x.calls(x.in.Context(), x.asker()) }

// calls gives the context of calls that are caused by the request, and made for an asker.
// Answers do not depend on it.
func (x *exchange) calls(ctx context.Context, who netip.Addr) context.Context {
	return &callContext{ctx, x.id, who}
}
