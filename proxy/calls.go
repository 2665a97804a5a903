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

// upstreamRecord records the calls that a request caused, for the log.
type upstreamRecord struct {
	first  *firstCall // nil: nobody wants to know
	count  int32
	status int32 // of the last
	took   time.Duration
}

// firstCall is where the first call went, see [Reader].
type firstCall struct {
	root   string
	target string // path and query
}

func (u *upstreamRecord) add(count, status int32, took time.Duration) {
	u.count += count
	u.status = status
	u.took += took
}

func (u *upstreamRecord) logFields() []zap.Field {
	if u.count == 0 {
		return nil
	}
	return []zap.Field{
		zap.Int("upstream_calls", int(u.count)),
		zap.Int("upstream_status", int(u.status)),
		zap.Float64("upstream_ms", milliseconds(u.took)),
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
