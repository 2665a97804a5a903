package service

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/idempotency"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// The configuration of the cache reaches the facade.
func TestGenerationCaches(t *testing.T) {
	c := processtest.MinimalConfig(t)
	c.Cache.SiteZone = "Europe/London"
	c.Cache.TTL["events"] = time.Hour
	c.Cache.IgnoreCookies = []string{"a"}
	c.Cache.SiteHeaders = freshness.Ignore
	o := newTestGeneration(t, c).options
	f := o.Freshness
	got := []any{
		o.Cache != nil, f.TTL["events"], f.TTL["tags"], f.StaleWhileRevalidate, f.StaleIfError, f.TTL[freshness.Errors],
		f.Zone("en").String(),
		f.IgnoreCookies[0], f.SiteHeaders,
	}
	want := []any{true, time.Hour, 10 * time.Minute, 5 * time.Minute, 24 * time.Hour, 10 * time.Second, "Europe/London", "a",
		freshness.Ignore}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The timeouts of Redis reach it, and other ones need another store.
func TestGenerationRedis(t *testing.T) {
	old := processtest.MinimalConfig(t)
	old.Cache.RedisTimeout = 70 * time.Millisecond
	old.Cache.ReadLogEvery = time.Second
	if o := redisOptions(old.Cache); o.Timeout != 70*time.Millisecond || o.ReadLogEvery != time.Second {
		t.Errorf("redis has %+v", o)
	}
	reloaded := old
	if !sameStore(old, reloaded) {
		t.Error("nothing has changed")
	}
	reloaded.Languages = append(reloaded.Languages[:1:1], i18n.Language{Code: "fr"})
	if sameStore(old, reloaded) {
		t.Error("the languages have changed, and with them the tags of entries")
	}
	reloaded = old
	reloaded.Cache.RedisTimeout *= 2
	if sameStore(old, reloaded) {
		t.Error("the timeout has changed")
	}
}

// Without a zone in the configuration, the facade requests it from the site's root.
func TestGenerationLearnsZone(t *testing.T) {
	requested := make(chan string, 1)
	c := processtest.MinimalConfig(t)
	c.Languages[0].Upstream = processtest.Serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		requested <- r.URL.Path
	})) + "/wp-json"
	g := newTestGeneration(t, c)
	if got := g.options.Freshness.Zone("en"); got != nil {
		t.Errorf("got %v at once", got)
	}
	if got := <-requested; got != "/wp-json/" {
		t.Errorf("requested %s", got)
	}
}

// testLasting returns the state of a process beside its generations.
func testLasting(m *staging.Matrix) lasting {
	metrics := telemetry.NewMetrics("")
	return lasting{log: zap.NewNop(), metrics: metrics, secrets: edge.NewSecrets(zap.NewNop(), time.Now), keys: idempotency.NewMemory(),
		status: admin.NewPageState(admin.PageStateOptions{Metrics: metrics}), hosts: new(upstream.Hosts),
		migration: &migration{matrix: m, fleet: fleet.New(fleet.Options{Matrix: m}), log: zap.NewNop()},
		onward:    onward.New(nil), pending: new(cache.Pending)}
}

func newTestGeneration(t *testing.T, c config.Config) *generation {
	t.Helper()
	g, err := newGeneration(c, testLasting(staging.NewMatrix(time.Now, nil)), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// TestRedisFileGone: a file that a URL of Redis names is removed after the configuration was validated.
func TestRedisFileGone(t *testing.T) {
	files := processtest.TLSFiles(t)
	processtest.WriteCertificate(t, files, 1, time.Now().Add(time.Hour))
	c := processtest.MinimalConfig(t)
	c.Cache.Redis = config.Secrets{config.NewSecret("rediss://127.0.0.1:1?ca_file=" + files.CertFile)}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(files.CertFile); err != nil {
		t.Fatal(err)
	}
	_, err := newGeneration(c, testLasting(staging.NewMatrix(time.Now, nil)), nil)
	if err == nil || !strings.Contains(err.Error(), "ca_file") {
		t.Errorf("%v, want that the file cannot be read", err)
	}
}

// TestZonesOfLanguages: an instant becomes the local time of the site that gets the write: the path or
// i18n_language names the language, and the staging matrix the backend.
func TestZonesOfLanguages(t *testing.T) {
	var payload atomic.Pointer[string]
	site := func(zone string, isCandidate bool) string {
		return processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" && isCandidate {
				t.Errorf("%s %s has the credentials of the current site", r.Method, r.URL)
			}
			if r.Method == http.MethodGet {
				_, _ = fmt.Fprintf(w, `{"timezone_string":%q}`, zone)
				return
			}
			body, _ := io.ReadAll(r.Body)
			got := string(body)
			payload.Store(&got)
			w.WriteHeader(http.StatusCreated)
			proxytest.WriteItem(w, `{"id":5}`)
		})) + "/wp-json"
	}
	c := processtest.MinimalConfig(t)
	c.Upstream.BasicAuth = config.NewSecret("u:p")
	c.Languages[0].Upstream = site("Europe/London", false)
	c.Languages = append(c.Languages, i18n.Language{Code: "es", Root: "/es/wp-json", Upstream: site("Europe/Madrid", false)})
	next := map[string]string{"en": site("America/New_York", true), "es": site("Europe/Athens", true)}
	c.Backends = []config.Backend{{Name: "next", Dialect: "tribe/events/v1", Upstreams: next}}
	c.Staging.Candidate = "next"
	matrix := staging.NewMatrix(time.Now, nil)
	plan := stagingPlan(c)
	matrix.Configure(plan)
	g, err := newGeneration(c, testLasting(matrix), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.close() })
	for _, test := range []struct{ target, date, want, next string }{
		{"/wp-json/calendar/events/v1/events", "2027-07-20T12:00:00Z", "13", "08"},
		{"/es/wp-json/calendar/events/v1/events", "2027-07-20T12:00:00Z", "14", "15"},
		{"/wp-json/calendar/events/v1/events?i18n_language=es", "2027-07-20T12:00:00Z", "14", "15"},
		{"/es/wp-json/calendar/events/v1/events", "1816084800", "14", "15"},
	} {
		for state, want := range map[staging.State]string{staging.Legacy: test.want, staging.New: test.next} {
			plan.Rules = []staging.Rule{{Setting: staging.Setting{State: state}}}
			matrix.Configure(plan)
			body := fmt.Sprintf(`{"title":"x","start_date":%q,"end_date":"2027-07-21 10:00:00"}`, test.date)
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, test.target, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			g.facade.ServeHTTP(w, r)
			if w.Code != http.StatusCreated || !strings.Contains(*payload.Load(), `"start_date":"2027-07-20 `+want+`:00:00"`) {
				t.Errorf("%s, %s %s: %d %s, sent %s", state, test.target, test.date, w.Code, w.Body, *payload.Load())
			}
		}
	}
}
