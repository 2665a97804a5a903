package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
)

// tracing records the spans of a process. A nil tracer records none.
type tracing struct {
	tracer   trace.Tracer
	provider *sdk.TracerProvider
}

// tracesVariable begins the variables of the exporter that are for traces alone.
const tracesVariable = "OTEL_EXPORTER_OTLP_TRACES_"

// exporterVariable returns a variable of the exporter, which reads the environment itself: of traces, or
// of all that it exports.
func exporterVariable(name string) string {
	return cmp.Or(os.Getenv(tracesVariable+name), os.Getenv("OTEL_EXPORTER_OTLP_"+name))
}

// openTracing opens no connection yet.
func openTracing(ctx context.Context, log *zap.Logger) (tracing, error) {
	kind, protocol := os.Getenv("OTEL_TRACES_EXPORTER"), exporterVariable("PROTOCOL")
	switch {
	case exporterVariable("ENDPOINT") == "", kind == "none", strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true"):
		return tracing{}, nil
	case kind != "" && kind != "otlp":
		return tracing{}, fmt.Errorf("OTEL_TRACES_EXPORTER: %q is not supported, only otlp and none", kind)
	case protocol != "" && protocol != "http/protobuf":
		return tracing{}, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL: %q is not supported, only http/protobuf", protocol)
	}
	// The exporter keeps its connection, also to a collector that has moved or died. The option for header
	// fields would replace those of the variable.
	headers := strings.TrimPrefix(exporterVariable("HEADERS")+",Connection=close", ",")
	if err := os.Setenv(tracesVariable+"HEADERS", headers); err != nil {
		return tracing{}, err
	}
	// It logs variables that it cannot read, with their secrets, and goes on without them.
	invalid := false
	otel.SetLogger(funcr.New(func(string, string) { invalid = true }, funcr.Options{}))
	exporter, err := otlptracehttp.New(ctx)
	otel.SetLogger(logr.Discard())
	if err != nil || invalid {
		return tracing{}, errors.New("tracing: the variables OTEL_EXPORTER_OTLP_* are invalid")
	}
	about, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", "calfacade"), attribute.String("service.version", buildVersion())),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return tracing{}, errors.New("tracing: OTEL_RESOURCE_ATTRIBUTES is invalid")
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(loggedExporter{exporter, log}), sdk.WithResource(about))
	return tracing{provider.Tracer("calfacade"), provider}, nil
}

// flushTime bounds how long a shutdown waits for the collector.
const flushTime = 5 * time.Second

// close sends the remaining spans.
func (t tracing) close() {
	if t.provider == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // loggedExporter has logged why
}

// loggedExporter logs errors, without the URL that the library would print.
type loggedExporter struct {
	sdk.SpanExporter
	log *zap.Logger
}

// ExportSpans implements [sdk.SpanExporter].
func (e loggedExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if err := e.SpanExporter.ExportSpans(ctx, spans); err != nil {
		cause := "the collector rejected them"
		if u, ok := errors.AsType[*url.Error](err); ok {
			cause = u.Err.Error()
		} else if errors.Is(err, context.DeadlineExceeded) {
			cause = context.DeadlineExceeded.Error()
		}
		e.log.Warn("spans were not sent", zap.Int("spans", len(spans)), zap.String("cause", cause))
	}
	return nil
}
