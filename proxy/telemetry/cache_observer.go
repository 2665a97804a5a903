package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/tracing"
)

// CacheObserver reports the Redis calls of a cache to metrics and traces.
type CacheObserver struct {
	Metrics *Metrics     // nil counts nothing
	Tracer  trace.Tracer // nil records nothing
}

var _ cache.Observer = CacheObserver{}

// Call implements [cache.Observer].
func (o CacheObserver) Call(ctx context.Context, name string) (context.Context, func(error)) {
	began := time.Now()
	ctx, end := tracing.Start(ctx, o.Tracer, "redis "+name, trace.SpanKindClient)
	return ctx, func(err error) {
		if o.Metrics != nil {
			o.Metrics.redisTime.WithLabelValues(name).Observe(time.Since(began).Seconds())
		}
		end(err)
	}
}

// Carry implements [cache.Observer]: work that a request starts belongs to its trace.
func (o CacheObserver) Carry(life, request context.Context) context.Context {
	if o.Tracer == nil {
		return life
	}
	return trace.ContextWithSpanContext(life, trace.SpanContextFromContext(request))
}
