package service

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// TestReloadRenewsConnections: after a reload, calls do not use the connections from before, since the
// site may have moved.
func TestReloadRenewsConnections(t *testing.T) {
	var remotes []string
	c := processtest.MinimalConfig(t)
	c.Cache.TTL["tags"] = 0
	c.Cache.SiteZone = "UTC"
	c.Languages[0].Upstream = processtest.Serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		remotes = append(remotes, r.RemoteAddr)
	})) + "/wp-json"
	s, err := New(c, Options{Log: zap.NewNop(), Metrics: telemetry.NewMetrics(""), Load: func() (config.Config, error) { return c, nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	visit := func() {
		s.Public(httptest.NewRecorder(), httptest.NewRequest("GET", "/wp-json/calendar/events/v1/tags", nil))
	}
	visit()
	visit()
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	visit()
	if len(remotes) != 3 || remotes[0] != remotes[1] || remotes[1] == remotes[2] {
		t.Errorf("calls from %v; want the first two on one connection, and the third on another", remotes)
	}
}

// TestReloadRenewsOtherConnections: nor do purges that are passed on, and spans.
func TestReloadRenewsOtherConnections(t *testing.T) {
	peer := func() (string, chan string) {
		remotes := make(chan string, 1)
		return processtest.Serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { remotes <- r.RemoteAddr })), remotes
	}
	front, purges := peer()
	collector, exports := peer()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector)
	spans, err := OpenTracing(t.Context(), zap.NewNop(), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	c := processtest.MinimalConfig(t)
	c.Cache.SiteZone = "UTC"
	c.Edge.Tags = "xkey"
	c.Edge.Purge = []config.PurgeTarget{{Target: onward.Target{Name: "front", Kind: onward.Varnish, URL: front}}}
	s, err := New(c, Options{
		Log:     zap.NewNop(),
		Metrics: telemetry.NewMetrics(""),
		Tracing: spans,
		Load:    func() (config.Config, error) { return c, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	<-purges // a target that is new gets a purge of everything
	var purged, exported []string
	call := func() {
		s.now.Load().store.cache.Purge(t.Context(), cache.Purge{Tags: []string{"events:1"}})
		purged = append(purged, <-purges)
		_, span := spans.tracer.Start(t.Context(), "one")
		span.End()
		exporting := make(chan error, 1)
		go func() { exporting <- spans.provider.ForceFlush(t.Context()) }()
		exported = append(exported, <-exports)
		if err := <-exporting; err != nil {
			t.Error(err)
		}
	}
	call()
	call()
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	call()
	for name, remotes := range map[string][]string{"purges": purged, "spans": exported} {
		if remotes[0] != remotes[1] || remotes[1] == remotes[2] {
			t.Errorf("%s from %v; want the first two on one connection, and the third on another", name, remotes)
		}
	}
}

// TestReloadReadsCAs: a file of CAs that is replaced in place is in use after a reload.
func TestReloadReadsCAs(t *testing.T) {
	called := false
	site := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	defer site.Close()
	files := processtest.TLSFiles(t)
	processtest.WriteCertificate(t, files, 1, time.Now().Add(time.Hour))
	load := func() (config.Config, error) {
		return config.Parse("test", fmt.Appendf(nil,
			"{public_url: 'https://a.test', languages: [{code: en, root: /wp-json, upstream: '%s/wp-json'}], "+
				"upstream: {ca_file: '%s'}, cache: {ttl: {tags: 0s}, zone: UTC}}", site.URL, files.CertFile), nil)
	}
	c, err := load()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(c, Options{Log: zap.NewNop(), Metrics: telemetry.NewMetrics(""), Load: load})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	visit := func() {
		s.Public(httptest.NewRecorder(), httptest.NewRequest("GET", "/wp-json/calendar/events/v1/tags", nil))
	}
	visit()
	if called {
		t.Error("a site whose CA is not in the file was called")
	}
	authority, err := os.ReadFile(authorityFile(t, site))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files.CertFile, authority, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	visit()
	if !called {
		t.Error("the site was not called after its CA came into the file")
	}
}
