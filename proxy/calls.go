package proxy

import (
	"context"
	"net/netip"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// Caller returns the client of a lookup, for [cache.Options.Caller].
func Caller(ctx context.Context) any { return upstream.ClientOf(ctx) }

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

// upstreamRecord is what is logged of the calls that a request caused.
type upstreamRecord struct {
	calls  int
	status int // of the last
	took   time.Duration

	sample *sample // to compare; nil if there is none
}

func (u *upstreamRecord) add(calls, status int, took time.Duration) {
	u.calls += calls
	u.status = status
	u.took += took
}

// join adds the calls of a fetch.
func (u *upstreamRecord) join(fetch *upstreamRecord) {
	u.add(fetch.calls, fetch.status, fetch.took)
	u.sample = fetch.sample
}

func (u *upstreamRecord) fields() []zap.Field {
	if u.calls == 0 {
		return nil
	}
	return []zap.Field{
		zap.Int("upstream_calls", u.calls),
		zap.Int("upstream_status", u.status),
		zap.Float64("upstream_ms", milliseconds(u.took)),
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
