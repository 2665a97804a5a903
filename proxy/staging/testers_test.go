package staging_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// TestTestersReachTheCandidate: reads and writes of a tester go to the candidate in every
// state, and the requests of others where the matrix sends them, also after a tester's response was
// cached.
func TestTestersReachTheCandidate(t *testing.T) {
	for _, state := range []staging.State{staging.Legacy, staging.Shadow, staging.NewWithFallback, staging.New} {
		f := facadetest.NewTestedFacade(t, facadetest.Everywhere(state), nil)
		visitors := "old"
		if state == staging.New || state == staging.NewWithFallback {
			visitors = "new"
		}
		for _, proof := range []string{facadetest.TesterField, facadetest.TesterCookie} {
			for _, line := range []string{"GET /events/5", "GET /es/events/5", "GET /events/5", "HEAD /events/5",
				"DELETE /events/5", "POST /events " + facadetest.AnEvent} {
				res, body := f.Send(line, proof)
				if !strings.HasPrefix(line, "HEAD") && titleOf(body) != "new" || res.Header.Get("Server-Timing") != "backend;desc=new" {
					t.Errorf("%s, %s: %s, %v", state, line, body, res.Header)
				}
				res, body = f.Send(line)
				if !strings.HasPrefix(line, "HEAD") && titleOf(body) != visitors || res.Header["Server-Timing"] != nil {
					t.Errorf("%s, %s of another client: %s, %v", state, line, body, res.Header)
				}
			}
		}
	}
}

// TestTestersGetNoKeys: a tester's response, fetched or from the cache, has no surrogate keys.
func TestTestersGetNoKeys(t *testing.T) {
	for _, tags := range []string{"surrogate-key", freshness.CacheTag, "xkey"} {
		f := facadetest.NewTestedFacade(t, facadetest.Everywhere(staging.New), func(o *proxy.Options) {
			o.Surrogate = freshness.Surrogate{Tags: tags, Lifetime: freshness.SurrogateControl}
		})
		for range 2 {
			for _, line := range []string{"GET /events/5", "GET /events", "GET /events/77"} {
				res, _ := f.Send(line, facadetest.TesterField)
				for _, name := range freshness.SurrogateFields {
					if got := res.Header.Get(name); got != "" {
						t.Errorf("%s: %s: %s", line, name, got)
					}
				}
				if res, _ := f.Send(line); res.Header.Get(tags) == "" {
					t.Errorf("%s of another client: %v", line, res.Header)
				}
			}
		}
	}
}

// TestTestersInACanary: a tester is in the canary or not by the token alone.
func TestTestersInACanary(t *testing.T) {
	f := facadetest.NewTestedFacade(t, []staging.Rule{facadetest.Rule(staging.Canary, 1)}, nil)
	for i := range 20 {
		signed := fmt.Sprintf("Authorization: Basic %d", i)
		for _, line := range []string{"GET /events/5", "DELETE /events/5"} {
			if _, body := f.Send(line, signed, facadetest.TesterField); titleOf(body) != "new" {
				t.Errorf("%s: %s", line, body)
			}
		}
	}
}

// TestTestersInOtherLanguages: a language that the candidate does not have is served as for everybody,
// and reports its backend all the same.
func TestTestersInOtherLanguages(t *testing.T) {
	f := facadetest.NewTestedFacade(t, facadetest.Everywhere(staging.Legacy), func(o *proxy.Options) { delete(o.Backends[0].Upstreams, "es") })
	for line, want := range map[string]string{"GET /events/5": "new", "GET /es/events/5": "old", "DELETE /es/events/5": "old"} {
		res, body := f.Send(line, facadetest.TesterField)
		expected := strings.NewReplacer("old", "legacy").Replace(want)
		if titleOf(body) != want || res.Header.Get("Server-Timing") != "backend;desc="+expected ||
			res.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s: %s, %v", line, body, res.Header)
		}
	}
}

// TestTesterTokensAreRefused: a request with a wrong token reaches no backend, and counts as a wrong
// secret of its place. After too many, also a right one has to wait.
func TestTesterTokensAreRefused(t *testing.T) {
	f := facadetest.NewTestedFacade(t, facadetest.Everywhere(staging.New), nil)
	f.Send("GET /events/5") // cached
	calls := f.Calls.Load() + f.NewSite.Calls.Load()
	refused := func(line, code string, status int, header ...string) {
		res, body := f.Send(line, header...)
		if res.StatusCode != status || !strings.Contains(body, code) || res.Header.Get("Cache-Control") != "private, no-store" ||
			res.Header["Server-Timing"] != nil {
			t.Errorf("%s, %s: %d %s, %v", line, header, res.StatusCode, body, res.Header)
		}
	}
	for _, wrong := range []string{
		facadetest.TesterField + "x", facadetest.TesterField + ", " + facadetest.TesterToken, "X-Calfacade-Tester: ",
		facadetest.TesterCookie + "x", "Cookie: calfacade-tester=x",
	} {
		for _, line := range []string{"GET /events/5", "DELETE /events/5"} {
			refused(line, "calendar_tester_refused", http.StatusForbidden, wrong)
		}
	}
	refused("GET /events/5", "calendar_rate_limited", http.StatusTooManyRequests, facadetest.TesterField)
	if n := f.Calls.Load() + f.NewSite.Calls.Load() - calls; n > 0 {
		t.Errorf("%d calls", n)
	}
}

// TestTestersAreKeptFromCaches: no cache on the way stores the response to a tester, hit or not, or
// serves a tester what it stored for others.
func TestTestersAreKeptFromCaches(t *testing.T) {
	f := facadetest.NewTestedFacade(t, facadetest.Everywhere(staging.Legacy), nil)
	status := func(code int) {
		f.NewSite.Says(facadetest.Answer(code, `{"code":"rest_forbidden","message":"no","data":{"status":403}}`))
	}
	for _, test := range []struct {
		fault string
		do    func() *http.Response
	}{
		{"a miss", func() *http.Response { res, _ := f.Send("GET /events/5", facadetest.TesterField); return res }},
		{"a hit", func() *http.Response { res, _ := f.Send("GET /events/5", facadetest.TesterField); return res }},
		{"HEAD", func() *http.Response { res, _ := f.Send("HEAD /events/5", facadetest.TesterField); return res }},
		{"304", func() *http.Response {
			res, _ := f.Send("GET /events/5", facadetest.TesterField)
			res, _ = f.Send("GET /events/5", facadetest.TesterField, "If-None-Match: "+res.Header.Get("Etag"))
			if res.StatusCode != http.StatusNotModified {
				t.Errorf("got %d", res.StatusCode)
			}
			return res
		}},
		{"a failure", func() *http.Response {
			status(http.StatusInternalServerError)
			res, _ := f.Send("GET /events/6", facadetest.TesterField)
			if res.StatusCode != http.StatusBadGateway {
				t.Errorf("got %d", res.StatusCode)
			}
			return res
		}},
		{"a refusal", func() *http.Response {
			status(http.StatusForbidden)
			res, _ := f.Send("GET /events/7", facadetest.TesterField)
			return res
		}},
	} {
		h := test.do().Header
		if h.Get("Cache-Control") != "private, no-store" || h["Expires"] != nil || h.Get("Server-Timing") != "backend;desc=new" {
			t.Errorf("%s: %v", test.fault, h)
		}
	}
	res, _ := f.Send("GET /events/5")
	if got, want := res.Header.Get("Vary"), "Accept-Encoding, Authorization, X-Calfacade-Tester, Cookie"; got != want ||
		strings.Contains(res.Header.Get("Cache-Control"), "private") {
		t.Errorf("to others: Vary %s, want %s; Cache-Control %s", got, want, res.Header.Get("Cache-Control"))
	}
}

// TestVaryOfTesters: responses vary by what selects the backend of a tester, and only where
// there may be testers.
func TestVaryOfTesters(t *testing.T) {
	without := func(o *proxy.Options) { facadetest.StagingOf(o).TesterToken = "" }
	for want, change := range map[string]func(*proxy.Options){
		"Accept-Encoding, Authorization":                                         without,
		"Accept-Encoding, Authorization, X-Calfacade-Tester, Cookie":             func(*proxy.Options) {},
		"Accept-Encoding, Authorization, Cookie, X-WP-Nonce, X-Calfacade-Tester": func(o *proxy.Options) { o.Cookies = true },
	} {
		f := facadetest.NewTestedFacade(t, nil, change)
		if res, _ := f.Send("GET /events/5"); res.Header.Get("Vary") != want {
			t.Errorf("%s, want %s", res.Header.Get("Vary"), want)
		}
	}
	f := facadetest.NewTestedFacade(t, nil, func(o *proxy.Options) { facadetest.StagingOf(o).Candidate = "" })
	if res, body := f.Send("GET /events/5", facadetest.TesterField); titleOf(body) != "old" ||
		res.Header.Get("Vary") != "Accept-Encoding, Authorization" || res.Header["Server-Timing"] != nil {
		t.Errorf("without a candidate: %s, %v", body, res.Header)
	}
}

// TestTestersDoNotCount: acts of testers change neither the measured share nor the counts of
// a cell, and rolls nothing back. It has counts of its own.
func TestTestersDoNotCount(t *testing.T) {
	m := telemetry.NewMetrics("v1")
	f := facadetest.NewTestedFacade(t, facadetest.Everywhere(staging.NewWithFallback), func(o *proxy.Options) {
		o.Metrics = m
	})
	f.NewSite.Says(facadetest.Answer(http.StatusInternalServerError, ""))
	for i := range 10 {
		res, _ := f.Send(fmt.Sprintf("GET /events/%d", i+1), facadetest.TesterField)
		if res.StatusCode != http.StatusBadGateway || f.Calls.Load() > 0 {
			t.Fatalf("a tester has the fallback: %d", res.StatusCode)
		}
	}
	f.NewSite.Says(facadetest.Entitled("new"))
	f.Send("GET /events/5", facadetest.TesterField)
	f.Send("GET /events/5", facadetest.TesterField)
	f.Send("DELETE /events/5", facadetest.TesterField)
	s := f.Matrix.Snapshot()
	for _, c := range s.Cells {
		if diff := cmp.Diff(staging.Counts{}, c.Ever); diff != "" || c.Requests.All() > 0 || c.Written > 0 {
			t.Errorf("%s: %+v", c.Cell, c)
		}
	}
	if s.Rollbacks > 0 {
		t.Error("rolled back")
	}
}

// TestTokensStayHere: neither backend, nor the log, nor a metric gets a token or the name of
// its cookie. The log says that it was a tester.
func TestTokensStayHere(t *testing.T) {
	m := telemetry.NewMetrics("v1")
	core, logs := observer.New(zapcore.DebugLevel)
	f := facadetest.NewTestedFacade(t, facadetest.Everywhere(staging.Shadow), func(o *proxy.Options) {
		o.Metrics = m
		o.Log = zap.New(core)
		o.Cookies = true
	})
	var headers []string
	record := func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			headers = append(headers, fmt.Sprint(r.URL, r.Header, string(body)))
			next(w, r)
		}
	}
	f.Answers(record(facadetest.Entitled("old")))
	f.NewSite.Says(record(facadetest.Entitled("new")))
	for _, proof := range []string{facadetest.TesterField, "Cookie: wordpress_logged_in_a=b; calfacade-tester=" + facadetest.TesterToken} {
		for _, line := range []string{"GET /events/5", "DELETE /events/5", "POST /events " + facadetest.AnEvent} {
			f.Send(line, proof)
		}
	}
	if len(headers) < 5 || !strings.Contains(strings.Join(headers, ""), "wordpress_logged_in_a=b") {
		t.Fatalf("calls: %s", headers)
	}
	var log []string
	for _, e := range logs.All() {
		log = append(log, fmt.Sprint(e.Message, e.ContextMap()))
	}
	for place, text := range map[string]string{"a call": strings.Join(headers, "\n"), "the log": strings.Join(log, "\n"),
		"a metric": scrape(m)} {
		if lower := strings.ToLower(text); strings.Contains(text, facadetest.TesterToken) || strings.Contains(lower, "calfacade-tester=") ||
			strings.Contains(lower, "x-calfacade-tester") {
			t.Errorf("%s has the token: %s", place, text)
		}
	}
	if !strings.Contains(strings.Join(log, "\n"), "tester:true") {
		t.Errorf("the log has no tester: %s", log)
	}
}

// TestLaneLeavesTesters: on one connection with hits of the lane, or of a server that sends a
// response in one piece, testers get the response of the candidate, whole.
func TestLaneLeavesTesters(t *testing.T) {
	for _, candidate := range []string{"", "new"} {
		site := facadetest.NewLaneSite(t)
		alike := func(o *proxy.Options, _ *http.Server) {
			o.Backends = []proxy.BackendOptions{{Name: "new", Dialect: mapping.API{Dialect: mapping.Neutral},
				Upstreams: map[string]string{"en": site.URL + "/new/wp-json"}}}
			o.Staging = &proxy.StagingOptions{Candidate: candidate, Matrix: staging.NewMatrix(site.Clock, nil), TesterToken: facadetest.TesterToken}
		}
		s := facadetest.NewLaneSide(t, site, true, alike)
		c := s.Dial()
		for range 3 {
			for _, proof := range []string{"A: b", facadetest.TesterField, "Cookie: a=b", facadetest.TesterCookie} {
				handled := s.Handled.Load()
				res, body := c.Get(facadetest.LaneTargets[0], proof)
				want := ""
				if candidate != "" && strings.Contains(proof, "ester") {
					want = "backend;desc=new"
				}
				if res.StatusCode != http.StatusOK || res.Header.Get("Server-Timing") != want || !strings.Contains(body, "Harbour Lights") {
					t.Errorf("candidate %q, %s: %s %v", candidate, proof, res.Status, res.Header)
				}
				lane := s.Handled.Load() == handled
				if lane != (want == "" && !strings.HasPrefix(proof, "X-Calfacade-Tester")) {
					t.Errorf("candidate %q, %s: by the lane %t", candidate, proof, lane)
				}
			}
		}
	}
}

// scrape returns all metrics as text.
func scrape(m *telemetry.Metrics) string {
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}
