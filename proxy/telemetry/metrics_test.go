package telemetry_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/control"
	"github.com/calfacade/calfacade/proxy/staging/stagingtest"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// counted is a facade with metrics, before a legacy that answers everything with
// the same event.
type counted struct {
	*testing.T
	facade  *proxy.Facade
	metrics *telemetry.Metrics
	cache   *cache.Cache
	site    i18n.Languages
	legacy  http.HandlerFunc // takes the place of the usual answer
}

func newCounted(t *testing.T, change ...func(*proxy.Options)) *counted {
	c := &counted{T: t, metrics: telemetry.NewMetrics("v1")}
	legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c.legacy != nil {
			c.legacy(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		facadetest.Entitled("Harbour Lights")(w, r)
	}))
	t.Cleanup(legacy.Close)
	o := proxy.Options{
		PublicURL: facadetest.PublicURL,
		Freshness: freshness.Options{TTL: map[string]time.Duration{"events": time.Hour}},
		Cache:     cache.New(cache.Options{}), Metrics: c.metrics,
	}
	t.Cleanup(o.Cache.Close)
	for _, code := range i18n.Codes {
		root := "/" + code + "/wp-json"
		o.Site = append(o.Site, i18n.Language{Code: code, Root: root, Upstream: legacy.URL + root})
	}
	for _, f := range change {
		f(&o)
	}
	c.facade = proxy.New(o)
	c.cache = o.Cache
	c.site = o.Site
	c.metrics.Watch(telemetry.Sources{Cache: o.Cache, Upstreams: c.facade.Upstreams})
	return c
}

func (c *counted) send(method, target string, change ...func(*http.Request)) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Method = method
	r.RequestURI = target
	r.URL = &url.URL{}
	if u, err := url.ParseRequestURI(target); err == nil {
		r.URL = u
	}
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	c.facade.ServeHTTP(w, r)
	facadetest.CheckLeaks(c.T, w.Header(), w.Body.Bytes())
}

// scrape returns the samples of the facade's own metrics, by name and labels.
func (c *counted) scrape() map[string]string {
	w := httptest.NewRecorder()
	c.metrics.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	samples := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(calfacade_\S+?(?:\{.*\})?) (\S+)$`).FindAllStringSubmatch(w.Body.String(), -1) {
		samples[m[1]] = m[2]
	}
	return samples
}

func (c *counted) want(samples map[string]string) {
	c.Helper()
	got := c.scrape()
	for name, value := range samples {
		if got[name] != value {
			c.Errorf("%s is %q, want %s", name, got[name], value)
		}
	}
	if c.Failed() {
		for name, value := range got {
			if strings.Contains(name, "_total") {
				c.Logf("%s %s", name, value)
			}
		}
	}
}

const inEnglish = "/en/wp-json/" + mapping.Namespace

func TestMetricsCountRequests(t *testing.T) {
	c := newCounted(t)
	c.send("GET", inEnglish+"/events/12")
	c.send("GET", inEnglish+"/events/12")
	c.send("GET", inEnglish+"/events/12?i18n_language=de")
	c.send("HEAD", inEnglish+"/events/12")
	c.send("GET", inEnglish+"/events/12", func(r *http.Request) { r.SetBasicAuth("u", "opensesame") })
	c.send("DELETE", inEnglish+"/events/12")
	c.send("OPTIONS", inEnglish+"/events/12")
	c.send("GET", inEnglish+"/events?page=0")
	c.send("GET", "/nowhere")
	c.send("BREW", inEnglish+"/events")
	line := func(endpoint, language, method, status, cache string) string {
		return fmt.Sprintf(`calfacade_requests_total{cache=%q,endpoint=%q,language=%q,method=%q,status=%q}`, cache, endpoint,
			language, method, status)
	}
	c.want(map[string]string{
		line("events.read", "en", "get", "2xx", "miss"):     "1",
		line("events.read", "en", "get", "2xx", "hit"):      "1",
		line("events.read", "de", "get", "2xx", "miss"):     "1",
		line("events.read", "en", "head", "2xx", "hit"):     "1",
		line("events.read", "en", "get", "2xx", "bypass"):   "1",
		line("events.delete", "en", "write", "2xx", "none"): "1",
		line("none", "en", "options", "2xx", "none"):        "1",
		line("events.list", "en", "get", "4xx", "none"):     "1",
		line("none", "en", "get", "4xx", "none"):            "1",
		line("none", "en", "other", "4xx", "none"):          "1",
		"calfacade_requests_in_flight":                      "0",

		`calfacade_request_duration_seconds_count{cache="miss",endpoint="events.read"}`: "2",
		`calfacade_upstream_calls_total{error="none",root="en",status="2xx"}`:           "3",
		`calfacade_upstream_calls_total{error="none",root="de",status="2xx"}`:           "1",
		`calfacade_upstream_duration_seconds_count{root="en"}`:                          "3",
		`calfacade_cache_fetches_total`:                                                 "2",
		`calfacade_cache_purges_total`:                                                  "1",
		`calfacade_build_info{version="v1"}`:                                            "1",
	})
}

// A request that is under way is counted as such, and only then.
func TestMetricsInFlight(t *testing.T) {
	c := newCounted(t)
	c.legacy = func(w http.ResponseWriter, _ *http.Request) {
		if got := c.scrape()["calfacade_requests_in_flight"]; got != "1" {
			t.Errorf("in flight: %s, want 1", got)
		}
		panic(http.ErrAbortHandler)
	}
	c.send("GET", inEnglish+"/events/12")
	c.want(map[string]string{
		"calfacade_requests_in_flight":                                           "0",
		`calfacade_upstream_breaker_open{root="en"}`:                             "0",
		`calfacade_upstream_calls_total{error="broken",root="en",status="none"}`: "1",
	})
}

// TestMetricsAreBounded sends what a client may choose in many forms. Not one of
// them makes a series of its own.
func TestMetricsAreBounded(t *testing.T) {
	c := newCounted(t)
	hostile := func(i int) {
		for _, method := range []string{"GET", "POST", "DELETE", fmt.Sprintf("M%d", i), "get", "{}\n"} {
			for _, target := range []string{
				fmt.Sprintf("%s/events/%d", inEnglish, i), fmt.Sprintf("%s/events/by-slug/s%d", inEnglish, i),
				fmt.Sprintf("%s/events?i18n_language=x%d", inEnglish, i), fmt.Sprintf("/x%d/wp-json/%s/events", i, mapping.Namespace),
				fmt.Sprintf("%s/things%d", inEnglish, i), fmt.Sprintf("/%%ff%%0a%d\"}", i),
				fmt.Sprintf("%s/events?tags=t%d&x%d=1", inEnglish, i, i), "*",
			} {
				c.send(method, target, func(r *http.Request) {
					r.Host = fmt.Sprintf("h%d.example", i)
					r.Header.Set("Accept-Language", fmt.Sprintf("l%d", i))
				})
			}
		}
	}
	hostile(1)
	size := len(c.scrape())
	for i := 2; i < 50; i++ {
		hostile(i)
	}
	if grown := len(c.scrape()); grown != size {
		t.Errorf("%d series after more of the same, %d before", grown, size)
	}
}

// TestMetricsOfStaging: the share is current, counts continue through all changes, and
// without a candidate there are no cells.
func TestMetricsOfStaging(t *testing.T) {
	c := newCounted(t)
	m := stagingtest.NewMatrix()
	c.metrics.Watch(telemetry.Sources{Cache: c.cache, Upstreams: c.facade.Upstreams, Staging: control.Metrics{Matrix: m}})
	selection := staging.Selection{Resources: []string{"events"}}
	canary := staging.Setting{State: staging.Canary, Percent: 30}
	cell := staging.Cell{Op: staging.Read, Resource: "events", Language: "es"}
	write := staging.Cell{Op: staging.Write, Resource: "events", Language: "es"}
	m.Compared(stagingtest.Candidate, cell, true)
	if err := m.Set(selection, canary, "anna", "", false); err != nil {
		t.Fatal(err)
	}
	m.Answered(stagingtest.Candidate, cell, false)
	m.Answered(stagingtest.Candidate, write, false)
	m.Answered(stagingtest.Candidate, write, true)
	m.Compared(stagingtest.Candidate, cell, false)
	m.Compared(stagingtest.Candidate, cell, false)
	for _, number := range []uint64{29, 29, 30} {
		stagingtest.Route(m, stagingtest.Candidate, cell, staging.Client{Number: number})
	}
	answers := func(op, result string) string {
		return fmt.Sprintf(`calfacade_staging_answers_total{language="es",op=%q,resource="events",result=%q}`, op, result)
	}
	const percent = `calfacade_staging_candidate_percent{language="es",op=%q,resource="events"}`
	want := map[string]string{
		answers("read", "ok"): "1", answers("read", "failed"): "0", answers("write", "ok"): "1", answers("write", "failed"): "1",
		`calfacade_staging_compared_total{language="es",resource="events",result="same"}`:                 "2",
		`calfacade_staging_compared_total{language="es",resource="events",result="different"}`:            "1",
		`calfacade_staging_answers_total{language="en",op="read",resource="venues",result="ok"}`:          "0",
		`calfacade_staging_rollbacks_total`:                                                               "0",
		`calfacade_staging_requests_total{backend="candidate",language="es",op="read",resource="events"}`: "2",
		`calfacade_staging_requests_total{backend="legacy",language="es",op="read",resource="events"}`:    "1",
		`calfacade_staging_requests_total{backend="legacy",language="es",op="write",resource="events"}`:   "0",
		fmt.Sprintf(percent, "read"): "30", fmt.Sprintf(percent, "write"): "30",
		`calfacade_staging_candidate_percent{language="en",op="read",resource="venues"}`: "0",
	}
	c.want(want)
	if err := m.Set(selection, staging.Setting{State: staging.NewWithFallback}, "anna", "", false); err != nil {
		t.Fatal(err)
	}
	want[fmt.Sprintf(percent, "read")] = "100"
	want[fmt.Sprintf(percent, "write")] = "100"
	c.want(want)
	size := len(c.scrape())
	for range 20 {
		m.Answered(stagingtest.Candidate, staging.Cell{Op: staging.Read, Resource: "venues", Language: "en"}, true)
		m.Answered(stagingtest.Candidate, staging.Cell{Op: staging.Read, Resource: "events", Language: "en"}, true)
		m.Answered(stagingtest.Candidate, staging.Cell{Op: staging.Read, Resource: "made up", Language: "xx"}, true)
	}
	c.want(map[string]string{`calfacade_staging_rollbacks_total`: "1", answers("read", "ok"): "1"})
	if grown := len(c.scrape()); grown != size {
		t.Errorf("%d series, before %d", grown, size)
	}
	m.Configure(staging.Plan{Cells: staging.Cells([]string{"events"}, []string{"en"})})
	for name := range c.scrape() {
		if strings.Contains(name, "staging") && name != "calfacade_staging_rollbacks_total" {
			t.Errorf("without a candidate there is %s", name)
		}
	}
}
