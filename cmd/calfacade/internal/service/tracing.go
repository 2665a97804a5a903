package service

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Tracing records the spans of a process. A nil tracer disables recording.
type Tracing struct {
	tracer   trace.Tracer
	provider *sdk.TracerProvider
	client   *http.Client // of the collector
}

// exporterVariable returns a variable of the exporter, which reads the environment too: the variable for
// traces, or else the variable for all signals.
func exporterVariable(name string) string {
	value := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_" + name)
	if value != "" {
		return value
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_" + name)
}

// OpenTracing returns the tracing that the environment configures, for a version of the program. No connection is opened yet.
func OpenTracing(ctx context.Context, log *zap.Logger, version string) (Tracing, error) {
	kind := os.Getenv("OTEL_TRACES_EXPORTER")
	protocol := exporterVariable("PROTOCOL")
	switch {
	case exporterVariable("ENDPOINT") == "", kind == "none", strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true"):
		return Tracing{}, nil
	case kind != "" && kind != "otlp":
		return Tracing{}, fmt.Errorf("OTEL_TRACES_EXPORTER: %q is not supported, only otlp and none", kind)
	case protocol != "" && protocol != "http/protobuf":
		return Tracing{}, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL: %q is not supported, only http/protobuf", protocol)
	}
	client, err := collectorClient()
	if err != nil {
		return Tracing{}, err
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithHTTPClient(client))
	if err != nil {
		return Tracing{}, errors.New("tracing: the variables OTEL_EXPORTER_OTLP_* are invalid") // an endpoint may hold a password
	}
	about, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", "calfacade"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return Tracing{}, errors.New("tracing: OTEL_RESOURCE_ATTRIBUTES is invalid")
	}
	logged := loggedExporter{SpanExporter: exporter, log: log}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(logged), sdk.WithResource(about))
	return Tracing{tracer: provider.Tracer("calfacade"), provider: provider, client: client}, nil
}

// collectorClient returns the client of the collector. With a client of ours the exporter ignores the
// standard variables for timeouts and certificates.
func collectorClient() (*http.Client, error) {
	security := &tls.Config{MinVersion: tls.VersionTLS12}
	var err error
	if security.RootCAs, err = config.ReadCAs(exporterVariable("CERTIFICATE")); err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
	}
	file := exporterVariable("CLIENT_CERTIFICATE")
	if file != "" {
		pair, err := tls.LoadX509KeyPair(file, exporterVariable("CLIENT_KEY"))
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: %w", err)
		}
		security.Certificates = []tls.Certificate{pair}
	}
	milliseconds, err := strconv.Atoi(cmp.Or(exporterVariable("TIMEOUT"), "10000"))
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT: %q is not a number of milliseconds", exporterVariable("TIMEOUT"))
	}
	timeout := time.Duration(milliseconds) * time.Millisecond
	return &http.Client{Transport: upstream.NewTransport(timeout, 1, security), Timeout: timeout}, nil
}

// flushTime bounds how long a shutdown waits for the collector.
const flushTime = 5 * time.Second

// Close sends the remaining spans.
func (t Tracing) Close() {
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
