// Package tracing starts spans, and reads and writes the header field that joins them to
// those of other programs.
//
// Spans have attributes from the closed sets of the metrics' labels, and numbers. Only the ids of
// a client's trace are passed on: the client chooses the text of baggage and tracestate.
package tracing

import (
	"context"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traceContext reads and writes the header field traceparent (W3C Trace Context).
var traceContext propagation.TraceContext

// Field is the name of that field.
const Field = "Traceparent"

// Extract returns ctx with the client's span, by the value of the field, as the parent of the
// next one.
func Extract(ctx context.Context, traceparent string) context.Context {
	if traceparent == "" {
		return ctx
	}
	return traceContext.Extract(ctx, propagation.MapCarrier{strings.ToLower(Field): traceparent})
}

// Inject adds the field that names the span of ctx.
func Inject(ctx context.Context, into http.Header) {
	traceContext.Inject(ctx, propagation.HeaderCarrier(into))
}

// Start starts a span below the span of ctx. A nil tracer disables the span, and end does nothing.
func Start(ctx context.Context, tracer trace.Tracer, name string, kind trace.SpanKind,
	options ...trace.SpanStartOption) (_ context.Context, end func(error, ...attribute.KeyValue)) {
	if tracer == nil {
		return ctx, func(error, ...attribute.KeyValue) {}
	}
	ctx, span := tracer.Start(ctx, name, append(options, trace.WithSpanKind(kind))...)
	return ctx, func(err error, attributes ...attribute.KeyValue) {
		span.SetAttributes(attributes...)
		if err != nil {
			span.SetStatus(codes.Error, "") // the text goes to the log, which fewer people keep
		}
		span.End()
	}
}
