package proxy

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/tracing"
)

// beginSpan begins the span of a request, as part of the client's trace if it
// has one.
func (f *Facade) beginSpan(x *exchange) {
	if f.options.Tracer == nil {
		return
	}
	ctx, span := f.options.Tracer.Start(tracing.Extract(x.in.Context(), x.in.Header.Get(tracing.Field)), "request", trace.WithSpanKind(trace.SpanKindServer))
	x.in, x.span = x.in.WithContext(ctx), span
}

// recordHit starts the span of a hit in the lane, and records that of the lookup, which is over:
// the sampler decides only once, so that it must not until the response is certain.
func (f *Facade) recordHit(x *exchange, traceparent []byte) {
	if f.options.Tracer == nil {
		return
	}
	since := trace.WithTimestamp(x.started)
	ctx, span := f.options.Tracer.Start(tracing.Extract(x.in.Context(), string(traceparent)), "request", trace.WithSpanKind(trace.SpanKindServer), since)
	if x.span = span; span.IsRecording() {
		_, end := tracing.Start(ctx, f.options.Tracer, "cache", trace.SpanKindInternal, since)
		end(nil, lookupAttributes(x.outcome, false)...)
	}
}

// endSpan sets name and attributes of the span, and ends it.
func (f *Facade) endSpan(x *exchange) {
	if x.span == nil {
		return
	}
	if x.span.IsRecording() {
		x.span.SetName(telemetry.MethodLabel(x.in.Method) + " " + telemetry.EndpointLabel(x.Endpoint))
		x.span.SetAttributes(
			attribute.String("http.request.method", spanMethod(x.in.Method)),
			attribute.Int("http.response.status_code", x.out.status),
			attribute.String("calfacade.endpoint", telemetry.EndpointLabel(x.Endpoint)),
			attribute.String("calfacade.language", f.options.Site[x.choice.Index].Code),
			attribute.String("calfacade.cache", x.outcome.String()),
			attribute.String("calfacade.request_id", x.id),
		)
		if x.failure != nil {
			x.span.SetAttributes(attribute.String("error.type", x.failure.Code))
		}
		if x.out.status >= http.StatusInternalServerError {
			x.span.SetStatus(codes.Error, "")
		}
	}
	x.span.End()
}

// spanMethod returns the method, or OpenTelemetry's name for unknown methods.
func spanMethod(method string) string {
	if telemetry.MethodLabel(method) == telemetry.MethodLabel("") {
		return "_OTHER"
	}
	return method
}

// traceID returns the id of the trace, for the log; "" if it is not recorded.
func (x *exchange) traceID() string {
	if x.span == nil || !x.span.SpanContext().IsSampled() {
		return ""
	}
	return x.span.SpanContext().TraceID().String()
}

// fromCache calls serve, which is Serve or Renew of package cache, in a span of its own.
func (f *Facade) fromCache(x *exchange, serve func(context.Context, bool, string, cache.Fetch) (cache.Result, error), fetch cache.Fetch) (cache.Result, error) {
	if f.options.Tracer == nil {
		return serve(x.lookupContext(), x.known, x.key, fetch)
	}
	ctx, end := tracing.Start(x.lookupContext(), f.options.Tracer, "cache", trace.SpanKindInternal)
	got, err := serve(ctx, x.known, x.key, fetch)
	how := telemetry.NoCache
	if err == nil {
		how = telemetry.OutcomeOf(got)
	}
	end(err, lookupAttributes(how, got.Collapsed)...)
	return got, err
}

func lookupAttributes(how telemetry.Outcome, collapsed bool) []attribute.KeyValue {
	return []attribute.KeyValue{attribute.String("calfacade.cache", how.String()), attribute.Bool("calfacade.collapsed", collapsed)}
}

// serverTiming returns the value of Server-Timing: the cache outcome, the time of calls to the
// site, and the time until now, when the header is sent.
func (x *exchange) serverTiming(now time.Time) string {
	b := make([]byte, 0, 64)
	if x.outcome != telemetry.NoCache {
		b = append(append(append(b, "cache;desc="...), x.outcome.String()...), ", "...)
	}
	if x.calls.count > 0 {
		b = append(strconv.AppendFloat(append(b, "upstream;dur="...), milliseconds(x.calls.took), 'f', 3, 64), ", "...)
	}
	return string(strconv.AppendFloat(append(b, "total;dur="...), milliseconds(now.Sub(x.started)), 'f', 3, 64))
}
