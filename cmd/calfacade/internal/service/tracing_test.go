package service

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	wire "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/proxy/staging"
)

// receiver is an OTLP collector on loopback.
type receiver struct {
	*testing.T
	mu    sync.Mutex
	spans []*wire.Span
	raw   []byte
}

func (r *receiver) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	body := io.Reader(req.Body)
	if req.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(req.Body)
		if err != nil {
			r.Error(err)
			return
		}
		body = z
	}
	data, err := io.ReadAll(body)
	if err != nil {
		r.Error(err)
	}
	var got collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(data, &got); err != nil || req.URL.Path != "/v1/traces" {
		r.Errorf("%s: %v", req.URL.Path, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.raw = append(r.raw, data...)
	for _, about := range got.ResourceSpans {
		for _, scope := range about.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
}

const (
	clientTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientSpan  = "00f067aa0ba902b7"
)

// TestTracing looks at all that a collector gets of a few requests, one of them
// full of secrets.
func TestTracing(t *testing.T) {
	r := &receiver{T: t}
	server := httptest.NewTLSServer(r)
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", authorityFile(t, server))
	spans, err := OpenTracing(t.Context(), zap.NewNop(), "1.2.3")
	if err != nil || spans.tracer == nil {
		t.Fatal(spans, err)
	}
	var headers []http.Header
	site := sim.New(sim.Options{})
	legacy := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		headers = append(headers, req.Header.Clone())
		site.ServeHTTP(w, req)
	}))
	c := processtest.MinimalConfig(t)
	c.Languages[0].Upstream = legacy + "/wp-json"
	c.Cache.SiteZone = "UTC"
	parts := testLasting(staging.NewMatrix(time.Now, nil))
	parts.tracer = spans.tracer
	g, err := newGeneration(c, parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, target string, change func(*http.Request)) {
		request := httptest.NewRequest(method, "/wp-json/calendar/events/v1"+target, nil)
		request.Header.Set("Traceparent", "00-"+clientTrace+"-"+clientSpan+"-01")
		request.Header.Set("Tracestate", "shop=opensesame")
		request.Header.Set("Baggage", "user=opensesame")
		change(request)
		g.facade.ServeHTTP(httptest.NewRecorder(), request)
	}
	nothing := func(*http.Request) {}
	ask("GET", "/tags", nothing)
	ask("GET", "/tags", nothing)
	ask("DELETE", "/tags/999999?password=opensesame",
		func(request *http.Request) { request.SetBasicAuth(sim.Users[0].Name, sim.Users[0].Password) })
	ask("GET", "/events/by-slug/opensesame?password=opensesame&search=opensesame",
		func(request *http.Request) { request.SetBasicAuth("u", "opensesame") })
	ask("BREW", "/opensesame?opensesame", nothing)
	if err := g.close(); err != nil {
		t.Fatal(err)
	}
	spans.Close()

	want := []string{
		"cache below get tags.list", "cache below get tags.list",
		"get events.read_by_slug below client", "get tags.list below client", "get tags.list below client",
		"other none below client", "upstream below cache", "upstream below get events.read_by_slug",
		"upstream below write tags.delete", "write tags.delete below client",
	}
	if diff := cmp.Diff(want, r.tree()); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	processtest.FindSecrets(t, "what was sent to the collector", string(r.raw))
	if bytes.Contains(r.raw, []byte("app-password")) {
		t.Error("the collector got a password")
	}
	for _, h := range headers {
		if p := h.Get("Traceparent"); !strings.Contains(p, clientTrace) || strings.Contains(p, clientSpan) {
			t.Errorf("the site got traceparent %q", p)
		}
		if h.Get("Tracestate")+h.Get("Baggage") != "" {
			t.Errorf("the site got what a client chose: %v", h)
		}
	}
	r.attributes("get tags.list", "calfacade.cache", "hit", "miss")
	r.attributes("write tags.delete", "http.request.method", "DELETE")
	r.attributes("other none", "http.request.method", "_OTHER")
	r.attributes("upstream", "calfacade.root", "en", "en", "en")
}

// authorityFile writes the CA of a server to a file.
func authorityFile(t *testing.T, server *httptest.Server) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.pem")
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, authority, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// tree names each span with its parent.
func (r *receiver) tree() []string {
	names := map[string]string{string(unhex(r.T, clientSpan)): "client"}
	for _, s := range r.spans {
		names[string(s.SpanId)] = s.Name
	}
	var lines []string
	for _, s := range r.spans {
		line := s.Name
		if len(s.ParentSpanId) > 0 {
			line += " below " + names[string(s.ParentSpanId)]
			if !bytes.Equal(s.TraceId, unhex(r.T, clientTrace)) {
				r.Errorf("%s is of another trace", line)
			}
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// attributes compares the values of an attribute in all spans of a name.
func (r *receiver) attributes(name, key string, want ...string) {
	r.Helper()
	var got []string
	for _, s := range r.spans {
		for _, a := range s.Attributes {
			if s.Name == name && a.Key == key {
				got = append(got, a.Value.GetStringValue())
			}
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		r.Errorf("%s of %s (-want +got):\n%s", key, name, diff)
	}
}

func TestTracingSwitch(t *testing.T) {
	endpoint := "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"
	for _, test := range []struct {
		environ []string
		enabled bool
		fault   string
	}{
		{nil, false, ""},
		{[]string{endpoint}, true, ""},
		{[]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://127.0.0.1:1/v1/traces"}, true, ""},
		{[]string{endpoint, "OTEL_SDK_DISABLED=true"}, false, ""},
		{[]string{endpoint, "OTEL_TRACES_EXPORTER=none"}, false, ""},
		{[]string{endpoint, "OTEL_TRACES_EXPORTER=otlp", "OTEL_EXPORTER_OTLP_TIMEOUT=3000"}, true, ""},
		{[]string{endpoint, "OTEL_TRACES_EXPORTER=zipkin"}, false, `OTEL_TRACES_EXPORTER: "zipkin" is not supported, only otlp and none`},
		{[]string{endpoint, "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT=3s"}, false,
			`OTEL_EXPORTER_OTLP_TIMEOUT: "3s" is not a number of milliseconds`},
		{[]string{endpoint, "OTEL_EXPORTER_OTLP_CERTIFICATE=/nowhere"}, false,
			"OTEL_EXPORTER_OTLP_CERTIFICATE: open /nowhere: no such file or directory"},
		{[]string{endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, false,
			`OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" is not supported, only http/protobuf`},
	} {
		t.Run(strings.Join(test.environ, " "), func(t *testing.T) {
			for _, pair := range test.environ {
				name, value, _ := strings.Cut(pair, "=")
				t.Setenv(name, value)
			}
			got, err := OpenTracing(t.Context(), zap.NewNop(), "1.2.3")
			if (err != nil || test.fault != "") && fmt.Sprint(err) != test.fault {
				t.Errorf("error is %v", err)
			}
			if enabled := got.tracer != nil; enabled != test.enabled {
				t.Errorf("on is %t", enabled)
			}
			got.Close()
		})
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
