package proxy

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/tracing"
)

// end counts and logs a request after the response.
func (f *Facade) end(x *exchange) {
	x.settleUnanswered()
	if x.body != nil {
		x.body.Release()
	}
	elapsed := f.options.Clock().Sub(x.started)
	f.options.Metrics.End(telemetry.Request{Endpoint: x.target.Endpoint, Language: f.codes[x.target.choice.Index], Method: x.request.Method,
		Status: x.countedStatus(), Outcome: x.outcome, Took: elapsed})
	var client []zap.Field
	if x.target.InLegacyNames { // the operator must find the clients that still use the legacy's names
		client = f.reportLegacy(x)
	}
	if x.span != nil {
		f.endSpan(x)
	}
	f.log(x, elapsed, client)
}

// countedStatus returns the status that logs, metrics and traces judge a response by: a 5xx that the request itself
// causes counts as a 400, so that no client raises alerts.
func (x *exchange) countedStatus() int {
	if x.failure != nil && x.failure.IsRefusal {
		return http.StatusBadRequest
	}
	return x.out.status
}

// log writes the record of a request. Of a client's request, the record contains only the path and the
// canonical query, which has no secrets. client has the fields of a request in the legacy's namespace.
func (f *Facade) log(x *exchange, elapsed time.Duration, client []zap.Field) {
	level := zapcore.InfoLevel
	if x.countedStatus() >= http.StatusInternalServerError {
		level = zapcore.ErrorLevel
	}
	if f.options.Requests == "none" || f.options.Requests == "errors" && level != zapcore.ErrorLevel {
		return
	}
	record := f.options.Log.Check(level, telemetry.RequestRecord)
	if record == nil {
		return
	}
	path := x.request.URL.EscapedPath()
	fields := []zap.Field{
		zap.String("request_id", x.id),
		zap.String("method", x.request.Method),
		zap.String("path", path[:min(len(path), maxLoggedPath)]),
		zap.String("language", string(x.texts)),
		zap.Int("status", x.out.status),
		zap.Int("bytes", x.out.bytes),
		zap.Float64("duration_ms", float64(elapsed.Microseconds())/1000),
		f.clientField(x),
	}
	if x.span != nil && x.span.SpanContext().IsSampled() {
		fields = append(fields, zap.String("trace_id", x.span.SpanContext().TraceID().String()))
	}
	if x.target.Endpoint != nil {
		fields = append(fields, zap.String("endpoint", x.target.Endpoint.Name()))
	}
	if x.target.call != nil {
		fields = append(fields, zap.String("query", x.target.query))
	}
	fields = append(fields, client...)
	if x.outcome != telemetry.NoCache {
		fields = append(fields, zap.Stringer("cache", x.outcome))
	}
	fields = append(fields, x.site.record...)
	if x.calls.count > 0 {
		fields = append(fields, zap.Int("upstream_calls", int(x.calls.count)),
			zap.Int("upstream_status", int(x.calls.status)),
			zap.Float64("upstream_ms", float64(x.calls.took.Microseconds())/1000))
	}
	if x.failure != nil {
		fields = append(fields, zap.String("code", x.failure.Code))
		if x.failure.Err != nil {
			fields = append(fields, zap.String("cause", x.failure.Err.Error()))
		}
	}
	if x.out.err != nil {
		fields = append(fields, zap.Bool("client_gone", true))
	}
	record.Write(fields...)
}

// clientField returns the field of a record that names the client.
func (f *Facade) clientField(x *exchange) zap.Field {
	switch f.options.LogClient {
	case "none":
		return zap.Skip()
	case "network":
		return zap.String("client", legacyclients.Prefix(f.edge.Address(x.request)))
	}
	return zap.String("client", f.edge.Name(x.request))
}

// maxLoggedPath is in bytes. A path is percent-encoded, and remains printable wherever it is cut.
const maxLoggedPath = 512

// beginSpan begins the span of a request, in the client's trace if the request names a trace.
func (f *Facade) beginSpan(x *exchange, traceparent string) (ctx context.Context) {
	ctx, x.span = f.options.Tracer.Start(tracing.Extract(x.request.Context(), traceparent), "request",
		trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(x.started))
	return ctx
}

// recordHit starts the span of a hit in the lane, and records the span of the lookup, which is over:
// the sampler decides only once, and must not decide before the response is certain.
func (f *Facade) recordHit(x *exchange, traceparent []byte) {
	ctx := f.beginSpan(x, string(traceparent))
	if x.span.IsRecording() {
		_, end := tracing.Start(ctx, f.options.Tracer, "cache", trace.SpanKindInternal, trace.WithTimestamp(x.started))
		end(nil, lookupAttributes(x.outcome, false)...)
	}
}

// endSpan sets name and attributes of the span, and ends the span.
func (f *Facade) endSpan(x *exchange) {
	if x.span.IsRecording() {
		x.span.SetName(telemetry.MethodLabel(x.request.Method) + " " + telemetry.EndpointLabel(x.target.Endpoint))
		x.span.SetAttributes(
			attribute.String("http.request.method", spanMethod(x.request.Method)),
			attribute.Int("http.response.status_code", x.out.status),
			attribute.String("calfacade.endpoint", telemetry.EndpointLabel(x.target.Endpoint)),
			attribute.String("calfacade.language", f.options.Site[x.target.choice.Index].Code),
			attribute.String("calfacade.cache", x.outcome.String()),
			attribute.String("calfacade.request_id", x.id),
		)
		if x.failure != nil {
			x.span.SetAttributes(attribute.String("error.type", x.failure.Code))
		}
		if x.countedStatus() >= http.StatusInternalServerError {
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

func lookupAttributes(outcome telemetry.Outcome, collapsed bool) []attribute.KeyValue {
	return []attribute.KeyValue{attribute.String("calfacade.cache", outcome.String()), attribute.Bool("calfacade.collapsed", collapsed)}
}
