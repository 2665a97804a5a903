package facadetest

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

const (
	ClientTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	Unsampled   = "00-" + ClientTrace + "-00f067aa0ba902b7-00"
	Sampled     = "00-" + ClientTrace + "-00f067aa0ba902b7-01"
)

// SpanRecorder is a tracer that records spans, and the decisions of the sampler.
type SpanRecorder struct {
	trace.Tracer
	Exported *tracetest.InMemoryExporter
	Sampler  sdk.Sampler

	mu      sync.Mutex
	decided []string
}

func (r *SpanRecorder) Description() string { return "records" }

func (r *SpanRecorder) ShouldSample(p sdk.SamplingParameters) sdk.SamplingResult {
	got := r.Sampler.ShouldSample(p)
	if p.Name == "request" {
		parent := trace.SpanContextFromContext(p.ParentContext)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.decided = append(r.decided, fmt.Sprint(parent.TraceID(), " ", parent.TraceFlags(), " ", parent.TraceState(), " ", p.Kind,
			" ", got.Decision))
	}
	return got
}

// TakeAll returns spans and decisions, sorted, without the values that differ from run to run.
func (r *SpanRecorder) TakeAll() []string {
	if r == nil {
		return nil
	}
	spans := r.Exported.GetSpans()
	r.Exported.Reset()
	names := map[trace.SpanID]string{}
	for _, s := range spans {
		names[s.SpanContext.SpanID()] = s.Name
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	decisions := r.decided
	r.decided = nil
	for _, s := range spans {
		text := fmt.Sprint(s.Name, " ", s.SpanKind, " ", s.Status, " parent ", names[s.Parent.SpanID()])
		if s.Parent.IsRemote() {
			text += fmt.Sprint(s.Parent.TraceID(), s.Parent.SpanID(), s.SpanContext.TraceID() == s.Parent.TraceID())
		}
		for _, a := range s.Attributes {
			if a.Key != "calfacade.request_id" || !madeID.MatchString(a.Value.AsString()) {
				text += fmt.Sprint(" ", a.Key, "=", a.Value.String())
			}
		}
		decisions = append(decisions, text)
	}
	slices.Sort(decisions)
	return decisions
}

// Each begins with a constant, for which a search is fast.
var (
	maskedID   = regexp.MustCompile(`(?m)(\nX-Request-Id: )[0-9a-z]{1,13}(\r)$`)
	madeID     = regexp.MustCompile(`^[0-9a-z]{1,13}$`)
	maskedRate = regexp.MustCompile(`(?m)(\nRateLimit: "reads");r=\d+;t=\d+(\r)$`)
	maskedDate = regexp.MustCompile(`(?m)(\nDate: )[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT(\r)$`)
)
