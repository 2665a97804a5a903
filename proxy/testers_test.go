package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/tester"
	"github.com/calfacade/calfacade/proxy/surrogate"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

const testerKey = "a key of thirty-two characters and more"

// tokenFor returns a token that is valid for an hour of the tests' clock.
func tokenFor(p tester.Pass) string {
	if p.Expires.IsZero() {
		p.Expires = start.Add(time.Hour)
	}
	p.Name = "anna"
	return tester.NewKey(testerKey).Sign(p)
}

func field(p tester.Pass) string  { return tester.Field + ": " + tokenFor(p) }
func cookie(p tester.Pass) string { return "Cookie: theme=dark; " + tester.Cookie + "=" + tokenFor(p) }

// newTestedFacade is a staged facade with testers, which compares nothing.
func newTestedFacade(t *testing.T, rules []staging.Rule, change func(*proxy.Options)) *stagedFacade {
	return newStagedFacade(t, rules, staging.Rollback{Errors: 1, Calls: 2}, func(o *proxy.Options) {
		unwatched(o)
		o.Staging.Testers = tester.Options{Key: testerKey, Cookie: true, Revoked: []string{"bob"}}
		if change != nil {
			change(o)
		}
	})
}

// TestTestersReachTheCandidate: reads and writes of a tester go to the candidate in every
// state, and those of others where the matrix sends them, also after a tester's response was
// cached.
func TestTestersReachTheCandidate(t *testing.T) {
	for _, state := range []staging.State{staging.Legacy, staging.Shadow, staging.NewWithFallback, staging.New} {
		f := newTestedFacade(t, all(state), nil)
		others := "old"
		if state == staging.New || state == staging.NewWithFallback {
			others = "new"
		}
		for _, proof := range []string{field(tester.Pass{Writes: true}), cookie(tester.Pass{Writes: true})} {
			for _, line := range []string{"GET /events/5", "GET /es/events/5", "GET /events/5", "HEAD /events/5", "DELETE /events/5", "POST /events " + anEvent} {
				res, body := f.send(line, proof)
				if !strings.HasPrefix(line, "HEAD") && titleOf(body) != "new" || res.Header.Get("Server-Timing") != "backend;desc=new" {
					t.Errorf("%s, %s: %s, %v", state, line, body, res.Header)
				}
				res, body = f.send(line)
				if !strings.HasPrefix(line, "HEAD") && titleOf(body) != others || res.Header["Server-Timing"] != nil {
					t.Errorf("%s, %s of another client: %s, %v", state, line, body, res.Header)
				}
			}
		}
	}
}

// TestTestersGetNoKeys: a tester's response, fetched or from the cache, has no surrogate keys.
func TestTestersGetNoKeys(t *testing.T) {
	for _, tags := range []surrogate.Tags{surrogate.SurrogateKey, surrogate.CacheTag, surrogate.XKey} {
		f := newTestedFacade(t, all(staging.New), func(o *proxy.Options) {
			o.Surrogate = surrogate.Options{Tags: tags, Keys: surrogate.Keys{Max: 10}, Lifetime: surrogate.SurrogateControl}
		})
		for range 2 {
			for _, line := range []string{"GET /events/5", "GET /events", "GET /events/77"} {
				res, _ := f.send(line, field(tester.Pass{}))
				for _, name := range surrogate.Fields {
					if got := res.Header.Get(name); got != "" {
						t.Errorf("%s: %s: %s", line, name, got)
					}
				}
				if res, _ := f.send(line); res.Header.Get(string(tags)) == "" {
					t.Errorf("%s of another client: %v", line, res.Header)
				}
			}
		}
	}
}

// TestTestersInACanary: a tester is in the canary or not by the token alone.
func TestTestersInACanary(t *testing.T) {
	f := newTestedFacade(t, []staging.Rule{rule(staging.Canary, 1)}, nil)
	for i := range 20 {
		signed := fmt.Sprintf("Authorization: Basic %d", i)
		for _, line := range []string{"GET /events/5", "DELETE /events/5"} {
			if _, body := f.send(line, signed, field(tester.Pass{Writes: true})); titleOf(body) != "new" {
				t.Errorf("%s: %s", line, body)
			}
		}
	}
}

// TestCoverOfAToken: what a token does not cover is served as for everybody, and reports its
// backend all the same. So is a language that the candidate does not have.
func TestCoverOfAToken(t *testing.T) {
	f := newTestedFacade(t, all(staging.Legacy), func(o *proxy.Options) { delete(o.Backends[0].Upstreams, "es") })
	for _, test := range []struct {
		line string
		pass tester.Pass
		want string
	}{
		{"GET /events/5", tester.Pass{Resources: []string{"events"}, Languages: []string{"en"}}, "new"},
		{"GET /events/5", tester.Pass{Resources: []string{"venues"}}, "old"},
		{"GET /events/5", tester.Pass{Languages: []string{"es"}}, "old"},
		{"GET /es/events/5", tester.Pass{}, "old"},
		{"DELETE /events/5", tester.Pass{Resources: []string{"venues"}}, "old"},
	} {
		res, body := f.send(test.line, field(test.pass))
		told := strings.NewReplacer("old", "legacy").Replace(test.want)
		if titleOf(body) != test.want || res.Header.Get("Server-Timing") != "backend;desc="+told || res.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s with %+v: %s, %v", test.line, test.pass, body, res.Header)
		}
	}
}

// TestTesterTokensAreRefused: a request with a token that is not valid reaches no backend, and
// a cookie with one is deleted.
func TestTesterTokensAreRefused(t *testing.T) {
	const refused, readOnly = "calendar_tester_refused", "calendar_tester_read_only"
	expired := tester.Pass{Expires: start, Writes: true}
	bob := tester.NewKey(testerKey).Sign(tester.Pass{Name: "bob", Expires: start.Add(time.Hour)})
	for name, test := range map[string]struct {
		line, header, want, result string
	}{
		"a read with an expired one":  {"GET /events/5", field(expired), refused, "expired"},
		"a write with an expired one": {"DELETE /events/5", field(expired), refused, "expired"},
		"an expired cookie":           {"GET /events/5", cookie(expired), refused, "expired"},
		"garbage":                     {"GET /events/5", tester.Field + ": x", refused, "malformed"},
		"of another key":              {"GET /events/5", tester.Field + ": " + tester.NewKey("another "+testerKey).Sign(tester.Pass{Name: "anna", Expires: start.Add(time.Hour)}), refused, "forged"},
		"revoked":                     {"GET /events/5", tester.Field + ": " + bob, refused, "revoked"},
		"a write with one for reads":  {"DELETE /events/5", field(tester.Pass{}), readOnly, "read_only"},
		"such a cookie":               {"POST /events " + anEvent, cookie(tester.Pass{}), readOnly, "read_only"},
	} {
		m := telemetry.NewMetrics("v1")
		f := newTestedFacade(t, all(staging.New), func(o *proxy.Options) { o.Metrics = m })
		f.send("GET /events/5") // cached
		before := f.calls.Load() + f.there.calls.Load()
		res, body := f.send(test.line, test.header)
		if res.StatusCode != http.StatusForbidden || !strings.Contains(body, test.want) || f.calls.Load()+f.there.calls.Load() != before {
			t.Errorf("%s: %d %s, %d calls", name, res.StatusCode, body, f.calls.Load()+f.there.calls.Load()-before)
		}
		cleared := 0
		if strings.HasPrefix(test.header, "Cookie") && test.want == refused {
			cleared = 2
		}
		if got := res.Header["Set-Cookie"]; len(got) != cleared || cleared > 0 && !strings.Contains(got[0], "Path=/wp-json; Max-Age=0;") {
			t.Errorf("%s: Set-Cookie %s", name, got)
		}
		if res.Header.Get("Cache-Control") != "private, no-store" || res.Header["Server-Timing"] != nil {
			t.Errorf("%s: %v", name, res.Header)
		}
		if want := fmt.Sprintf(`calfacade_staging_testers_total{result=%q} 1`, test.result); !strings.Contains(scrape(m), want) {
			t.Errorf("%s: no %s", name, want)
		}
	}
}

// TestTestersAreKeptFromCaches: no cache on the way stores what a tester gets, hit or not, or
// serves a tester what it stored for others.
func TestTestersAreKeptFromCaches(t *testing.T) {
	f := newTestedFacade(t, all(staging.Legacy), nil)
	status := func(code int) {
		f.there.says(answer(code, `{"code":"rest_forbidden","message":"no","data":{"status":403}}`))
	}
	for _, test := range []struct {
		what string
		do   func() *http.Response
	}{
		{"a miss", func() *http.Response { res, _ := f.send("GET /events/5", field(tester.Pass{})); return res }},
		{"a hit", func() *http.Response { res, _ := f.send("GET /events/5", field(tester.Pass{})); return res }},
		{"HEAD", func() *http.Response { res, _ := f.send("HEAD /events/5", field(tester.Pass{})); return res }},
		{"304", func() *http.Response {
			res, _ := f.send("GET /events/5", field(tester.Pass{}))
			res, _ = f.send("GET /events/5", field(tester.Pass{}), "If-None-Match: "+res.Header.Get("Etag"))
			if res.StatusCode != http.StatusNotModified {
				t.Errorf("got %d", res.StatusCode)
			}
			return res
		}},
		{"a failure", func() *http.Response {
			status(http.StatusInternalServerError)
			res, _ := f.send("GET /events/6", field(tester.Pass{}))
			if res.StatusCode != http.StatusBadGateway {
				t.Errorf("got %d", res.StatusCode)
			}
			return res
		}},
		{"a refusal", func() *http.Response {
			status(http.StatusForbidden)
			res, _ := f.send("GET /events/7", field(tester.Pass{}))
			return res
		}},
	} {
		h := test.do().Header
		if h.Get("Cache-Control") != "private, no-store" || h["Expires"] != nil || h.Get("Server-Timing") != "backend;desc=new" {
			t.Errorf("%s: %v", test.what, h)
		}
	}
	res, _ := f.send("GET /events/5")
	if got, want := res.Header.Get("Vary"), "Accept-Encoding, Authorization, X-Calfacade-Tester, Cookie"; got != want || strings.Contains(res.Header.Get("Cache-Control"), "private") {
		t.Errorf("to others: Vary %s, want %s; Cache-Control %s", got, want, res.Header.Get("Cache-Control"))
	}
}

// TestVaryOfTesters: responses vary by what selects the backend of a tester, and only where
// there may be testers.
func TestVaryOfTesters(t *testing.T) {
	for want, change := range map[string]func(*proxy.Options){
		"Accept-Encoding, Authorization":                                         func(o *proxy.Options) { o.Staging.Testers.Key = "" },
		"Accept-Encoding, Authorization, X-Calfacade-Tester":                     func(o *proxy.Options) { o.Staging.Testers.Cookie = false },
		"Accept-Encoding, Authorization, Cookie, X-WP-Nonce, X-Calfacade-Tester": func(o *proxy.Options) { o.Cookies = true },
	} {
		f := newTestedFacade(t, nil, change)
		if res, _ := f.send("GET /events/5"); res.Header.Get("Vary") != want {
			t.Errorf("%s, want %s", res.Header.Get("Vary"), want)
		}
	}
	f := newTestedFacade(t, nil, func(o *proxy.Options) { o.Staging.Candidate = "" })
	if res, body := f.send("GET /events/5", field(tester.Pass{})); titleOf(body) != "old" || res.Header.Get("Vary") != "Accept-Encoding, Authorization" || res.Header["Server-Timing"] != nil {
		t.Errorf("without a candidate: %s, %v", body, res.Header)
	}
}

// TestTestersDoNotCount: what testers do changes neither the measured share nor the counts of
// a cell, and rolls nothing back. It has counts of its own.
func TestTestersDoNotCount(t *testing.T) {
	m := telemetry.NewMetrics("v1")
	f := newTestedFacade(t, all(staging.NewWithFallback), func(o *proxy.Options) {
		o.Metrics, o.Staging.Shadow.Share = m, 100
	})
	f.there.says(answer(http.StatusInternalServerError, ""))
	for i := range 10 {
		res, _ := f.send(fmt.Sprintf("GET /events/%d", i+1), field(tester.Pass{}))
		if res.StatusCode != http.StatusBadGateway || f.calls.Load() > 0 {
			t.Fatalf("a tester has the fallback: %d", res.StatusCode)
		}
	}
	f.there.says(entitled("new"))
	f.send("GET /events/5", field(tester.Pass{}))
	f.send("GET /events/5", field(tester.Pass{}))
	f.send("DELETE /events/5", field(tester.Pass{Writes: true}))
	s := f.matrix.Snapshot()
	for _, c := range s.Cells {
		if diff := cmp.Diff(staging.Counts{}, c.Ever); diff != "" || c.Requests.All() > 0 || c.Written > 0 {
			t.Errorf("%s: %+v", c.Cell, c)
		}
	}
	if s.Rollbacks > 0 {
		t.Error("rolled back")
	}
	for _, want := range []string{
		`calfacade_staging_tester_answers_total{result="failed"} 10`, `calfacade_staging_tester_answers_total{result="ok"} 2`,
		`calfacade_staging_testers_total{result="candidate"} 13`,
	} {
		if got := scrape(m); !strings.Contains(got, want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestTokensStayHere: neither backend, nor the log, nor a metric gets a token or the name of
// its cookie. The log has the name of the tester.
func TestTokensStayHere(t *testing.T) {
	m := telemetry.NewMetrics("v1")
	core, logs := observer.New(zapcore.DebugLevel)
	f := newTestedFacade(t, all(staging.Shadow), func(o *proxy.Options) {
		o.Metrics, o.Log, o.Cookies = m, zap.New(core), true
	})
	token := tokenFor(tester.Pass{Writes: true})
	var sent []string
	record := func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent = append(sent, fmt.Sprint(r.URL, r.Header, string(body)))
			next(w, r)
		}
	}
	f.answers(record(entitled("old")))
	f.there.says(record(entitled("new")))
	for _, proof := range []string{field(tester.Pass{Writes: true}), "Cookie: wordpress_logged_in_a=b; " + tester.Cookie + "=" + token} {
		for _, line := range []string{"GET /events/5", "DELETE /events/5", "POST /events " + anEvent} {
			f.send(line, proof)
		}
	}
	if len(sent) < 5 || !strings.Contains(strings.Join(sent, ""), "wordpress_logged_in_a=b") {
		t.Fatalf("calls: %s", sent)
	}
	var log []string
	for _, e := range logs.All() {
		log = append(log, fmt.Sprint(e.Message, e.ContextMap()))
	}
	for what, text := range map[string]string{"a call": strings.Join(sent, "\n"), "the log": strings.Join(log, "\n"), "a metric": scrape(m)} {
		if lower := strings.ToLower(text); strings.Contains(text, token[:30]) || strings.Contains(lower, "calfacade-tester=") || strings.Contains(lower, "x-calfacade-tester") {
			t.Errorf("%s has the token: %s", what, text)
		}
	}
	if !strings.Contains(strings.Join(log, "\n"), "tester:anna") {
		t.Errorf("the log has no tester: %s", log)
	}
}

// TestTimingsOfATester: the backend stands beside the other timings.
func TestTimingsOfATester(t *testing.T) {
	f := newTestedFacade(t, nil, func(o *proxy.Options) { o.ServerTiming = true })
	res, _ := f.send("GET /events/5", field(tester.Pass{}))
	if got := res.Header.Values("Server-Timing"); len(got) != 2 || !strings.HasPrefix(got[0], "cache;desc=miss") || got[1] != "backend;desc=new" {
		t.Errorf("got %q", got)
	}
}

// TestLaneLeavesTesters: on one connection with hits of the lane, or of a server that sends a
// response in one piece, testers get the response of the candidate, whole.
func TestLaneLeavesTesters(t *testing.T) {
	for _, candidate := range []string{"", "new"} {
		site := newLaneSite(t)
		alike := func(o *proxy.Options, _ *http.Server) {
			o.Backends = []proxy.BackendOptions{{Name: "new", Dialect: mapping.Backend{Dialect: mapping.Neutral},
				Upstreams: map[string]string{"en": site.url + "/new/wp-json"}}}
			o.Staging = proxy.StagingOptions{Candidate: candidate, Matrix: staging.NewMatrix(site.clock, nil), Testers: tester.Options{Key: testerKey, Cookie: true}}
		}
		s := newLaneSide(t, site, true, alike)
		c := s.dial()
		for range 3 {
			for _, proof := range []string{"A: b", field(tester.Pass{}), "Cookie: a=b", cookie(tester.Pass{})} {
				handled := s.handled.Load()
				res, body := c.get(laneTargets[0], proof)
				want := ""
				if candidate != "" && strings.Contains(proof, "ester") {
					want = "backend;desc=new"
				}
				if res.StatusCode != http.StatusOK || res.Header.Get("Server-Timing") != want || !strings.Contains(body, "Harbour Lights") {
					t.Errorf("candidate %q, %s: %s %v", candidate, proof, res.Status, res.Header)
				}
				lane := s.handled.Load() == handled
				if lane != (want == "" && !strings.HasPrefix(proof, tester.Field)) {
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

// TestPageOfTesters: the page is in the namespace of each language where there may be testers,
// and nowhere else. It sets a cookie that the public URL reaches.
func TestPageOfTesters(t *testing.T) {
	f := newTestedFacade(t, nil, func(o *proxy.Options) { o.PublicURL = "https://example.org/api" })
	send := func(method, root, body string) *http.Response { // the page is no JSON, as cachedFacade.send requires
		r := httptest.NewRequest(method, root+"/calendar/events/v1/tester", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		f.facade.ServeHTTP(w, r)
		return w.Result()
	}
	for _, root := range []string{"/wp-json", "/es/wp-json"} {
		if res := send("GET", root, ""); res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %d %v", root, res.StatusCode, res.Header)
		}
	}
	res := send("POST", "/wp-json", "do=start&token="+tokenFor(tester.Pass{}))
	want := []string{"Path=/api/wp-json;", "Path=/api/es/wp-json;"}
	if got := res.Header["Set-Cookie"]; res.StatusCode != http.StatusSeeOther || len(got) != 2 || !strings.Contains(got[0], want[0]) || !strings.Contains(got[1], want[1]) {
		t.Errorf("%d, Set-Cookie %q", res.StatusCode, got)
	}
	for name, change := range map[string]func(*proxy.Options){
		"no key":       func(o *proxy.Options) { o.Staging.Testers.Key = "" },
		"no cookies":   func(o *proxy.Options) { o.Staging.Testers.Cookie = false },
		"no candidate": func(o *proxy.Options) { o.Staging.Candidate = "" },
	} {
		if res, body := newTestedFacade(t, nil, change).send("GET /tester"); res.StatusCode != http.StatusNotFound || !strings.Contains(body, "rest_no_route") {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
		}
	}
}
