package proxy

import (
	"context"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// exchange is one request and its response.
type exchange struct {
	id      string
	edge    *edge.Edge
	in      *http.Request
	body    *edge.Body // nil: not read
	out     recorder
	started time.Time

	*target                // shared with other requests, and immutable
	key      string        // of the call in the cache, at the selected backend
	voice    i18n.Voice    // language of the facade's own texts
	backend  *backend      // selected
	route    staging.Route // that selected it
	upstream upstreamRecord
	span     trace.Span                     // nil without a tracer
	fetched  atomic.Pointer[upstreamRecord] // calls of a fetch that this request started, and that may outlive it
	outcome  telemetry.Outcome
	failure  *problem.Error
}

// setTarget makes t the target of a request.
func (x *exchange) setTarget(t *target) {
	x.target, x.key = t, t.key
	x.voice = i18n.Voice(t.choice.Spoken)
}

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

// context returns the context of calls for this request alone.
func (x *exchange) context() context.Context { return x.callContext(x.in.Context(), x.client()) }

// callContext returns the context of calls that the request causes, on behalf of a client.
// Responses do not depend on it.
func (x *exchange) callContext(ctx context.Context, client netip.Addr) context.Context {
	return &callContext{ctx, x.id, client}
}
