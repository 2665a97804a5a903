package proxy

import (
	"context"
	"fmt"
	"net/http"
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
	ctx, span := f.options.Tracer.Start(tracing.Extract(x.in.Context(), x.in.Header), "request", trace.WithSpanKind(trace.SpanKindServer))
	x.in, x.span = x.in.WithContext(ctx), span
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
func (f *Facade) fromCache(x *exchange, serve func(context.Context, string, cache.Fetch) (cache.Result, error), fetch cache.Fetch) (cache.Result, error) {
	if f.options.Tracer == nil {
		return serve(x.lookupContext(), x.key, fetch)
	}
	ctx, end := tracing.Start(x.lookupContext(), f.options.Tracer, "cache", trace.SpanKindInternal)
	got, err := serve(ctx, x.key, fetch)
	how := telemetry.NoCache
	if err == nil {
		how = telemetry.OutcomeOf(got)
	}
	end(err, attribute.String("calfacade.cache", how.String()), attribute.Bool("calfacade.collapsed", got.Collapsed))
	return got, err
}

// setServerTiming sets Server-Timing: the cache outcome, the time of calls to the site, and
// the time until the header is sent.
func (x *exchange) setServerTiming(now time.Time) {
	s := ""
	if x.outcome != telemetry.NoCache {
		s = "cache;desc=" + x.outcome.String() + ", "
	}
	if x.calls.count > 0 {
		s += fmt.Sprintf("upstream;dur=%.3f, ", milliseconds(x.calls.took))
	}
	x.out.Header()["Server-Timing"] = []string{s + fmt.Sprintf("total;dur=%.3f", milliseconds(now.Sub(x.started)))}
}
