package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/tec"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/stagingtest"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// stagedFacade is a cached facade with a candidate beside the legacy. Each responds with
// events whose title names the backend.
type stagedFacade struct {
	*cachedFacade
	matrix    *staging.Matrix
	candidate staging.Candidate
	findings  *compare.Findings
	newSite   site // the candidate

	mu      sync.Mutex
	changes []staging.Change
}

// site is a backend that counts.
type site struct {
	calls    atomic.Int32
	answers  atomic.Pointer[http.HandlerFunc]
	received chan *http.Request // if not nil, gets each call; the response waits for that
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.calls.Add(1)
	if s.received != nil {
		s.received <- r.Clone(r.Context())
	}
	(*s.answers.Load())(w, r)
}

func (s *site) says(h http.HandlerFunc) { s.answers.Store(&h) }

func newStagedFacade(t *testing.T, rules []staging.Rule, rollback staging.Rollback, change func(*proxy.Options)) *stagedFacade {
	t.Helper()
	f := &stagedFacade{findings: new(compare.Findings)}
	f.newSite.says(entitled("new"))
	candidate := httptest.NewServer(&f.newSite)
	t.Cleanup(candidate.Close)
	comparer, err := compare.Default().Compile()
	if err != nil {
		t.Fatal(err)
	}
	f.cachedFacade = newCachedFacade(t, func(o *proxy.Options) {
		f.matrix = staging.NewMatrix(o.Clock, func(c staging.Change) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.changes = append(f.changes, c)
		})
		o.Backends = []proxy.BackendOptions{{
			Name:      "new",
			Dialect:   mapping.Backend{Dialect: mapping.Neutral, LanguageParam: "i18n_language"},
			Upstreams: map[string]string{"en": candidate.URL + "/wp-json", "es": candidate.URL + "/es/wp-json"},
		}}
		o.Staging = &proxy.StagingOptions{
			Candidate: "new", Matrix: f.matrix,
			Limits: staging.Limits{Rate: 10_000}, Comparer: comparer, Findings: f.findings,
		}
		if change != nil {
			change(o)
		}
		f.candidate = proxy.CandidateOf(o.Backends[0])
		f.matrix.Configure(staging.Plan{
			Candidate: f.candidate, Cells: staging.Cells(mapping.Resources(), o.Site.Codes()), Rules: rules, Rollback: rollback,
		})
	})
	f.answers(entitled("old"))
	return f
}

// titleOf returns which backend the title in a body names.
func titleOf(body string) string {
	for _, title := range []string{"old", "new"} {
		if strings.Contains(body, `"title":"`+title) {
			return title
		}
	}
	return body
}

// stagingOf returns the staging of options, to change it.
func stagingOf(o *proxy.Options) *proxy.StagingOptions {
	if o.Staging == nil {
		o.Staging = new(proxy.StagingOptions)
	}
	return o.Staging.(*proxy.StagingOptions)
}

// unwatched compares nothing.
func unwatched(o *proxy.Options) { stagingOf(o).Comparer = nil }

var eventually = testwait.Until

func everywhere(state staging.State) []staging.Rule { return []staging.Rule{rule(state, 0)} }

func rule(state staging.State, percent int) staging.Rule {
	return staging.Rule{Setting: staging.Setting{State: state, Percent: percent}}
}

// TestMatrixSelectsTheBackend: reads and writes go where the matrix sends them, and to one
// backend alone.
func TestMatrixSelectsTheBackend(t *testing.T) {
	onlyES := everywhere(staging.New)
	onlyES[0].Languages = []string{"es"}
	tests := []struct {
		name          string
		rules         []staging.Rule
		reads, writes string
		es            string // backend of a read in Spanish
	}{
		{"no rule", nil, "old", "old", "old"},
		{"legacy", everywhere(staging.Legacy), "old", "old", "old"},
		{"shadow", everywhere(staging.Shadow), "old", "old", "old"},
		{"new", everywhere(staging.New), "new", "new", "new"},
		{"new with fallback", everywhere(staging.NewWithFallback), "new", "new", "new"},
		{"one language", onlyES, "old", "old", "new"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newStagedFacade(t, tt.rules, staging.Rollback{}, unwatched)
			for _, ask := range []struct{ line, want string }{
				{"GET /events/5", tt.reads}, {"GET /events/5", tt.reads}, {"GET /es/events/5", tt.es}, {"DELETE /events/5", tt.writes},
			} {
				if _, body := f.send(ask.line); titleOf(body) != ask.want {
					t.Errorf("%s: %s answered, want %s", ask.line, titleOf(body), ask.want)
				}
			}
			if old, current := f.calls.Load(), f.newSite.calls.Load(); old+current != 3 { // the second read is a hit
				t.Errorf("%d calls on the legacy and %d on the candidate for three answers", old, current)
			}
		})
	}
}

// TestAnotherCandidate: a facade whose candidate is no longer the matrix's, as during
// a reload, does not call it, and its reports do not count.
func TestAnotherCandidate(t *testing.T) {
	for name, alter := range map[string]func(*staging.Candidate){
		"another name":  func(c *staging.Candidate) { c.Name = "next" },
		"another place": func(c *staging.Candidate) { c.Place = "elsewhere" },
	} {
		t.Run(name, func(t *testing.T) {
			f := newStagedFacade(t, everywhere(staging.New), staging.Rollback{}, nil)
			plan := staging.Plan{Candidate: f.candidate, Cells: staging.Cells(mapping.Resources(), []string{"en"}), Rules: everywhere(staging.New)}
			alter(&plan.Candidate)
			f.newSite.says(func(w http.ResponseWriter, r *http.Request) {
				f.matrix.Configure(plan)
				entitled("new")(w, r)
			})
			if _, body := f.send("POST /venues {\"venue\":\"Hall\"}"); titleOf(body) != "new" {
				t.Fatalf("before: %s", body)
			}
			for _, line := range []string{"GET /events/5", "GET /events/5", "DELETE /events/5", "POST /events " + anEvent} {
				if _, body := f.send(line); titleOf(body) != "old" {
					t.Errorf("%s: %s", line, body)
				}
			}
			for _, c := range f.matrix.Snapshot().Cells {
				if c.Calls+c.Written+c.Compared > 0 {
					t.Errorf("counted for the other candidate: %+v", c)
				}
			}
		})
	}
}

// TestCallsInTheCandidatesDialect: calls to the candidate have its dialect, and its language
// parameter.
func TestCallsInTheCandidatesDialect(t *testing.T) {
	f := newStagedFacade(t, everywhere(staging.New), staging.Rollback{}, nil)
	f.newSite.says(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, proxytest.Marked(`{"id":5,"title":"new","rest_url":"http://`+r.Host+`/es/wp-json/calendar/events/v1/events/5"}`))
		if got, want := r.URL.String(), "/es/wp-json/calendar/events/v1/events/5?i18n_language=es"; got != want {
			t.Errorf("called %s, want %s", got, want)
		}
	})
	if _, body := f.send("GET /es/events/5"); !strings.Contains(body, `"`+publicURL+`/es/wp-json/calendar/events/v1/events/5"`) {
		t.Errorf("the candidate's link is not the facade's: %s", body)
	}
}

// TestLanguageOfTheCandidate: the language parameter of the candidate names the language.
// With "select: path" it does so only if several languages share a root.
func TestLanguageOfTheCandidate(t *testing.T) {
	for _, test := range []struct {
		name       string
		selectedBy i18n.Select
		shared     bool // the candidate has one root
		want       string
	}{
		{"by both", i18n.ByBoth, false, "i18n_language=es"},
		{"by path", i18n.ByPath, false, ""},
		{"by path, one root", i18n.ByPath, true, "i18n_language=es"},
	} {
		f := newStagedFacade(t, everywhere(staging.New), staging.Rollback{}, func(o *proxy.Options) {
			unwatched(o)
			o.Site[1].Select = test.selectedBy
			if roots := o.Backends[0].Upstreams; test.shared {
				roots["es"] = roots["en"]
			}
		})
		f.newSite.says(func(w http.ResponseWriter, r *http.Request) {
			proxytest.WriteItem(w, `{"id":5,"title":"new"}`)
			if r.URL.RawQuery != test.want {
				t.Errorf("%s: called with %s, want %s", test.name, r.URL.RawQuery, test.want)
			}
		})
		if _, body := f.send("GET /es/events/5"); titleOf(body) != "new" {
			t.Errorf("%s: %s", test.name, body)
		}
	}
}

// TestLanguageNamesOfTheCandidate: the candidate may have its own names for languages. Calls
// use them, links with them come back with the code, and no entry of the cache has other
// names.
func TestLanguageNamesOfTheCandidate(t *testing.T) {
	var options proxy.Options
	first := newStagedFacade(t, everywhere(staging.New), staging.Rollback{}, func(o *proxy.Options) { options = *o })
	for _, word := range []string{"es_ES", "es_MX"} {
		f := newStagedFacade(t, everywhere(staging.New), staging.Rollback{}, func(o *proxy.Options) {
			o.Backends[0].Dialect.Languages = map[string]string{"es": word}
			o.Backends[0].Upstreams = options.Backends[0].Upstreams
			o.Site = options.Site
			o.Cache = options.Cache
		})
		first.newSite.says(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, proxytest.Marked(`{"id":5,"title":"new","rest_url":"http://`+r.Host+r.URL.RequestURI()+`&x=1"}`))
			if got, want := r.URL.RawQuery, "i18n_language="+word; got != want {
				t.Errorf("called with %s, want %s", got, want)
			}
		})
		calls := first.newSite.calls.Load()
		if _, body := f.send("GET /es/events/5"); !strings.Contains(body, `/events/5?i18n_language=es&x=1"`) ||
			first.newSite.calls.Load() != calls+1 {
			t.Errorf("%s: %d calls, %s", word, first.newSite.calls.Load()-calls, body)
		}
	}
}

// TestCanarySticks: a client is always in the canary or never, alone or signed in,
// and the two have nothing of each other from the cache.
func TestCanarySticks(t *testing.T) {
	f := newStagedFacade(t, []staging.Rule{rule(staging.Canary, 50)}, staging.Rollback{}, func(o *proxy.Options) {
		o.Edge.Trust.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		stagingOf(o).Comparer = nil
	})
	counts := map[string]int{}
	for i := range 64 {
		client := fmt.Sprintf("X-Forwarded-For: 192.0.2.%d", i)
		_, first := f.send("GET /events/5", client)
		counts[titleOf(first)]++
		if _, again := f.send("GET /events/5", client); again != first {
			t.Errorf("client %d: first %s, then %s", i, titleOf(first), titleOf(again))
		}
		if _, signed := f.send("GET /events/5", client, "Authorization: Basic YTpi"); i > 0 && titleOf(signed) != signedIn(f) {
			t.Errorf("who signs in is sent to %s from one address and not from another", titleOf(signed))
		}
	}
	if counts["old"] < 16 || counts["new"] < 16 {
		t.Errorf("of 64 clients: %v, want about half", counts)
	}
}

// signedIn sends a request with the same credentials from another address.
func signedIn(f *stagedFacade) string {
	_, body := f.send("GET /events/5", "Authorization: Basic YTpi")
	return titleOf(body)
}

// TestCanaryOfRequests: a canary by requests takes requests of one client, hits too, counts
// what both backends got, and leaves all with credentials and all writes to the legacy.
func TestCanaryOfRequests(t *testing.T) {
	rules := []staging.Rule{{Setting: staging.Setting{State: staging.Canary, Percent: 50, By: staging.Requests}}}
	f := newStagedFacade(t, rules, staging.Rollback{}, unwatched)
	got := map[string]uint64{}
	for range 200 {
		_, body := f.send("GET /events/5")
		got[titleOf(body)]++
	}
	if got["old"] == 0 || got["new"] == 0 || f.calls.Load() != 1 || f.newSite.calls.Load() != 1 {
		t.Errorf("of 200 requests: %v, with %d and %d calls", got, f.calls.Load(), f.newSite.calls.Load())
	}
	if c := f.matrix.Snapshot().Cells[0]; c.Requests != (staging.Sides{Legacy: got["old"], Candidate: got["new"]}) {
		t.Errorf("counted %+v, want %v", c.Requests, got)
	}
	for range 20 {
		for _, line := range []string{"GET /events/6", "DELETE /events/6"} {
			if _, body := f.send(line, "Authorization: Basic YTph"); titleOf(body) != "old" {
				t.Errorf("%s with credentials: %s", line, body)
			}
		}
		if _, body := f.send("DELETE /events/7"); titleOf(body) != "old" {
			t.Errorf("a write without: %s", body)
		}
	}
}

// TestFallback: where the candidate fails a read the legacy answers, and no client
// sees it; a write that fails is never sent to the other.
func TestFallback(t *testing.T) {
	broken := func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = c.Close()
		}
	}
	for name, fault := range map[string]http.HandlerFunc{
		"500": answer(500, `{}`), "503": answer(503, `{}`), "no JSON": answer(200, "<html>"), "broken": broken,
		"redirect": http.RedirectHandler("/x", http.StatusMovedPermanently).ServeHTTP,
	} {
		t.Run(name, func(t *testing.T) {
			f := newStagedFacade(t, everywhere(staging.NewWithFallback), staging.Rollback{}, unwatched)
			f.newSite.says(fault)
			for range 3 {
				if res, body := f.send("GET /events/5"); res.StatusCode != 200 || titleOf(body) != "old" {
					t.Errorf("got %d %s", res.StatusCode, body)
				}
			}
			f.newSite.says(entitled("new"))
			if _, body := f.send("GET /events/5"); titleOf(body) != "new" {
				t.Errorf("what the legacy answered is kept as the candidate's")
			}
			f.newSite.says(fault)
			calls := f.calls.Load()
			if res, _ := f.send("POST /events " + anEvent); res.StatusCode < 500 {
				t.Errorf("a write that failed: got %d", res.StatusCode)
			}
			if total := f.calls.Load(); total != calls {
				t.Error("the write was sent to the legacy too")
			}
		})
	}
	t.Run("the log has both", func(t *testing.T) {
		var logs records
		f := newStagedFacade(t, everywhere(staging.NewWithFallback), staging.Rollback{}, func(o *proxy.Options) {
			unwatched(o)
			o.Log = logs.logger()
		})
		f.newSite.says(answer(http.StatusInternalServerError, `{}`))
		f.send("GET /events/5")
		if r := logs.wait(t, 1)[0]; r["upstream_calls"] != int64(2) || r["upstream_status"] != int64(200) || r["backend"] != nil {
			t.Errorf("logged %v", r)
		}
	})
	t.Run("404 is a response", func(t *testing.T) {
		f := newStagedFacade(t, everywhere(staging.NewWithFallback), staging.Rollback{}, unwatched)
		f.newSite.says(answer(404, `{"code":"event-not-found","message":"","data":{"status":404}}`))
		if res, _ := f.send("GET /events/5"); res.StatusCode != http.StatusNotFound || f.calls.Load() != 0 {
			t.Errorf("got %d, with %d calls on the legacy", res.StatusCode, f.calls.Load())
		}
	})
	t.Run("without fallback", func(t *testing.T) {
		f := newStagedFacade(t, everywhere(staging.New), staging.Rollback{}, unwatched)
		f.newSite.says(answer(500, `{}`))
		if res, _ := f.send("GET /events/5"); res.StatusCode != 502 || f.calls.Load() != 0 {
			t.Errorf("got %d, with %d calls on the legacy", res.StatusCode, f.calls.Load())
		}
	})
}

// TestFallbackForWhatADialectLacks: the legacy serves what the candidate's dialect does not
// support, and that does not count as a failure.
func TestFallbackForWhatADialectLacks(t *testing.T) {
	f := newStagedFacade(t, everywhere(staging.NewWithFallback), staging.Rollback{}, func(o *proxy.Options) {
		unwatched(o)
		o.Backends[0].Dialect = mapping.Backend{Dialect: tec.Dialect}
	})
	if res, body := f.send("GET /events?include=5"); res.StatusCode != 200 || titleOf(body) != "old" {
		t.Errorf("got %d %s", res.StatusCode, body)
	}
	if calls := f.newSite.calls.Load(); calls != 0 {
		t.Errorf("the candidate got %d calls", calls)
	}
	for _, c := range f.matrix.Snapshot().Cells {
		if c.Calls != 0 {
			t.Errorf("counted as a response: %+v", c)
		}
	}
}

// TestRollsBack: a canary that fails goes back to the legacy automatically, reads and
// writes, with a reason. Hits of the cache are no calls of the candidate.
func TestRollsBack(t *testing.T) {
	f := newStagedFacade(t, everywhere(staging.New), staging.Rollback{Errors: 50, Calls: 4, Window: time.Minute}, nil)
	f.newSite.says(answer(500, `{}`))
	for i := range 8 {
		want := 502
		if i >= 4 {
			want = 200
		}
		if res, _ := f.send(fmt.Sprintf("GET /events/%d", i+1)); res.StatusCode != want {
			t.Errorf("read %d: got %d, want %d", i+1, res.StatusCode, want)
		}
	}
	last := f.changes[len(f.changes)-1]
	if last.Who != "rollback" || last.To.State != staging.Legacy || !strings.Contains(last.Why, "4 of 4 responses failed") ||
		len(last.Cells) != 2 {
		t.Errorf("the change: %+v", last)
	}
	if _, body := f.send("GET /venues"); titleOf(body) != "{}" &&
		stagingtest.Route(f.matrix, f.candidate, staging.Cell{Op: staging.Read, Resource: "venues", Language: "en"},
			staging.Client{}).Candidate != true {
		t.Errorf("another resource was rolled back as well: %s", body)
	}
}

// TestWritesTaken: what the candidate has written, or may have, keeps it from being
// rolled back; what it refused does not.
func TestWritesTaken(t *testing.T) {
	f := newStagedFacade(t, everywhere(staging.New), staging.Rollback{}, unwatched)
	count := func() (n uint64) {
		for _, c := range f.matrix.Snapshot().Cells {
			n += c.Written
		}
		return n
	}
	for _, ask := range []struct {
		says http.HandlerFunc
		want uint64
	}{
		{answer(http.StatusCreated, `{"id":5}`), 1},
		{answer(http.StatusUnauthorized, `{"code":"rest_forbidden"}`), 1},
		{answer(http.StatusInternalServerError, `{}`), 2},
		{answer(http.StatusCreated, `<html>`), 3},
	} {
		f.newSite.says(ask.says)
		f.send("POST /venues {\"venue\":\"Hall\"}")
		if got := count(); got != ask.want {
			t.Errorf("%d writes taken, want %d", got, ask.want)
		}
	}
}

// TestShadow: a difference is found once, in its place, and only if the legacy sends the
// same again.
func TestShadow(t *testing.T) {
	tests := []struct {
		name     string
		old, new http.HandlerFunc
		want     []string
		noise    int
	}{
		{"the same", entitled("old"), entitled("old"), nil, 0},
		{"another value", entitled("old"), entitled("new"), []string{"title value 1"}, 0},
		{"missing", answer(200, `{"id":5,"excerpt":"x"}`), answer(200, `{"id":5}`), []string{"excerpt missing 1"}, 0},
		{"fails", entitled("old"), answer(500, `{}`), []string{" status 1"}, 0},
		{"restless", nil, entitled("new"), nil, 1},
	}
	for _, tt := range tests {
		for _, state := range []staging.State{staging.Shadow, staging.New} {
			t.Run(tt.name+" "+string(state), func(t *testing.T) {
				if state == staging.New && tt.name == "fails" {
					t.Skip("there is no response to compare")
				}
				f := newStagedFacade(t, everywhere(state), staging.Rollback{}, nil)
				if tt.old == nil {
					tt.old = counting()
				}
				f.answers(tt.old)
				f.newSite.says(tt.new)
				f.send("GET /events/5")
				eventually(t, "compared", func() bool { return f.compared() > 0 })
				report := f.findings.Snapshot()
				var got []string
				for _, finding := range report.Findings {
					got = append(got, fmt.Sprintf("%s %s %d", finding.Member, finding.Kind, finding.Responses))
					if finding.Resource != "events" || finding.Language != "en" || finding.Calls[0] != "/events/5" {
						t.Errorf("found at %+v", finding)
					}
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("groups (-want +got):\n%s", diff)
				}
				differing := uint64(len(tt.want))
				eventually(t, "counted", func() bool {
					var compared, different uint64
					for _, c := range f.matrix.Snapshot().Cells {
						compared = compared + c.Compared
						different = different + c.Different
					}
					return compared == 1 && different == differing
				})
				if noise := report.Cells[0].Noise; noise != tt.noise {
					t.Errorf("noise %d, want %d", noise, tt.noise)
				}
			})
		}
	}
}

// TestShadowOfOldNames: responses in the legacy's names are compared in neutral ones, in which the legacy's
// answer for a website that is missing is none.
func TestShadowOfOldNames(t *testing.T) {
	for _, state := range []staging.State{staging.Shadow, staging.New} {
		f := newStagedFacade(t, everywhere(state), staging.Rollback{}, inLegacyNames)
		f.answers(answer(200, `{"id":5,"url":"https://x.example/event/5","website":"https://x.example/event/5"}`))
		f.newSite.says(answer(200, `{"id":5,"url":"https://x.example/event/5","website":""}`))
		f.sendLegacy("GET /wp-json/tribe/events/5")
		eventually(t, "compared", func() bool { return f.compared() > 0 })
		if report := f.findings.Snapshot(); report.Total > 0 || report.Cells[0].Noise > 0 {
			t.Errorf("%s: %+v", state, report)
		}
	}
}

// TestShadowCountsKnownDifferencesApart: a response with known differences alone does not differ, and
// the legacy is not read again for it.
func TestShadowCountsKnownDifferencesApart(t *testing.T) {
	rules := compare.Default()
	rules.Known = []compare.Known{{Name: "titles", Members: []string{"events.title"}, Kinds: []compare.Kind{compare.Value}}}
	comparer, err := rules.Compile()
	if err != nil {
		t.Fatal(err)
	}
	f := newStagedFacade(t, everywhere(staging.Shadow), staging.Rollback{}, func(o *proxy.Options) { stagingOf(o).Comparer = comparer })
	f.send("GET /events/5")
	eventually(t, "counted", func() bool {
		var compared, different uint64
		for _, c := range f.matrix.Snapshot().Cells {
			compared = compared + c.Compared
			different = different + c.Different
		}
		return compared == 1 && different == 0
	})
	report := f.findings.Snapshot()
	if diff := cmp.Diff(map[string]int{"titles": 1}, report.Known); diff != "" ||
		report.Total > 0 || f.calls.Load() != 1 {
		t.Errorf("%d reads of the legacy, %+v: %s", f.calls.Load(), report, diff)
	}
}

// TestShadowCallsAreMarked: the calls that serve a comparison alone carry a mark, at the candidate and at the legacy,
// and the calls of clients do not, whatever they send.
func TestShadowCallsAreMarked(t *testing.T) {
	for _, test := range []struct {
		state    staging.State
		old, new string // marks of the calls, in their order
	}{
		{staging.Shadow, ";1;", "1;"}, // the legacy is read again, since the responses differ
		{staging.New, "1;1;", ";"},
	} {
		f := newStagedFacade(t, everywhere(test.state), staging.Rollback{}, nil)
		marks := func(marks *string, title string) http.HandlerFunc {
			var mu sync.Mutex
			return func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				*marks += r.Header.Get("X-Calfacade-Shadow") + ";"
				entitled(title)(w, r)
			}
		}
		var old, now string
		f.answers(marks(&old, "old"))
		f.newSite.says(marks(&now, "new"))
		f.send("GET /events/5", "X-Calfacade-Shadow: 2")
		eventually(t, "compared", func() bool { return f.compared() > 0 })
		if old != test.old || now != test.new {
			t.Errorf("%s: marks %q of the legacy, want %q; %q of the candidate, want %q", test.state, old, test.old, now, test.new)
		}
	}
}

// counting is a site whose responses differ each time.
func counting() http.HandlerFunc {
	var n atomic.Int64
	return func(w http.ResponseWriter, _ *http.Request) {
		proxytest.WriteItem(w, `{"id":5,"title":"%d"}`, n.Add(1))
	}
}

// compared counts the answers that were compared.
func (f *stagedFacade) compared() (n int64) {
	report := f.findings.Snapshot()
	return int64(report.Sum().Compared)
}

// TestShadowAfterTheAnswer: the candidate is called after the client has its response,
// without anything of the client's, and never for a hit, a write, or a request with
// credentials.
func TestShadowAfterTheAnswer(t *testing.T) {
	rules := append(everywhere(staging.Shadow), rule(staging.Legacy, 0))
	rules[1].Resources = []string{"organizers"}
	f := newStagedFacade(t, rules, staging.Rollback{}, nil)
	f.newSite.received = make(chan *http.Request)
	f.send("GET /events/5", "Cookie: secret=1", "X-Secret: 1") // the candidate still waits
	r := <-f.newSite.received
	if got := r.Header.Get("Cookie") + r.Header.Get("X-Secret") + r.Header.Get("Authorization"); got != "" {
		t.Errorf("the candidate was sent %q", got)
	}
	for _, line := range []string{"GET /events/5", "HEAD /events/5", "POST /events " + anEvent, "GET /organizers/1"} {
		f.send(line)
	}
	f.send("GET /events/7", "Authorization: Basic YTpi")
	f.send("GET /events/7?password=p")
	for _, line := range []string{"GET /events/8", "HEAD /events/9"} {
		f.send(line)
		method, path, _ := strings.Cut(line, " ")
		if r := <-f.newSite.received; r.Method != http.MethodGet || r.URL.Path != "/wp-json/calendar/events/v1"+path {
			t.Errorf("after a %s the candidate got %s %s", method, r.Method, r.URL.Path)
		}
	}
}

// TestShadowSkipsAnOpenBreaker: nothing is compared while the breaker of the candidate is
// open.
func TestShadowSkipsAnOpenBreaker(t *testing.T) {
	var logs records
	f := newStagedFacade(t, everywhere(staging.Shadow), staging.Rollback{}, func(o *proxy.Options) {
		o.Log = logs.logger()
		o.Requests = "none"
		o.Upstream.Breaker = upstream.BreakerOptions{Failures: 1, Open: time.Hour}
	})
	f.newSite.says(answer(http.StatusInternalServerError, `{}`))
	f.send("GET /events/5")
	eventually(t, "compared", func() bool { return f.compared() > 0 })
	f.send("GET /events/6")
	eventually(t, "left alone", func() bool { return logs.logs.FilterMessage("not compared").Len() > 0 })
	if n := f.compared(); n != 1 {
		t.Errorf("%d answers compared, want 1", n)
	}
}

// TestShadowGivesWay: a comparison does not wait for a place at a site that clients
// could wait for.
func TestShadowGivesWay(t *testing.T) {
	var logs records
	f := newStagedFacade(t, everywhere(staging.Shadow), staging.Rollback{}, func(o *proxy.Options) {
		o.Log = logs.logger()
		o.Requests = "none"
		o.Upstream.MaxConcurrent = 1
		o.Upstream.MaxQueue = 10
		o.Upstream.QueueTimeout = time.Hour
		stagingOf(o).Limits.Timeout = time.Hour
	})
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	f.newSite.says(func(http.ResponseWriter, *http.Request) { <-hang })
	f.send("GET /events/5")
	eventually(t, "called", func() bool { return f.newSite.calls.Load() == 1 })
	f.send("GET /events/6")
	eventually(t, "given way", func() bool { return logs.logs.FilterMessage("not compared").Len() > 0 })
}

// TestShadowNeverWaits: a candidate that hangs costs no client anything, and what
// there is no room for is dropped and counted.
func TestShadowNeverWaits(t *testing.T) {
	hang := make(chan struct{})
	f := newStagedFacade(t, everywhere(staging.Shadow), staging.Rollback{}, func(o *proxy.Options) {
		stagingOf(o).Limits = staging.Limits{Rate: 1000, Concurrency: 1, Waiting: 2}
		o.Cache = nil
	})
	t.Cleanup(func() { close(hang) })
	f.newSite.says(func(http.ResponseWriter, *http.Request) { <-hang })
	for i := range 20 {
		if res, _ := f.send(fmt.Sprintf("GET /events/%d", i+1)); res.StatusCode != 200 {
			t.Fatalf("read %d: got %d", i+1, res.StatusCode)
		}
	}
	eventually(t, "dropped", func() bool { return f.facade.Dropped() >= 17 })
}

// TestShadowKnowsHiddenEvents: an event that the candidate lists and the legacy hides is no
// difference of the list.
func TestShadowKnowsHiddenEvents(t *testing.T) {
	f := newStagedFacade(t, everywhere(staging.Shadow), staging.Rollback{}, func(o *proxy.Options) {
		comparer, err := compare.Rules{Ignore: []string{"rest_url"}, Known: tec.Differences()}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		stagingOf(o).Comparer = comparer
	})
	f.answers(func(w http.ResponseWriter, r *http.Request) {
		switch path.Base(r.URL.Path) {
		case "events":
			proxytest.WriteItem(w, `{"events":[{"id":5}],"rest_url":"","total":1,"total_pages":1}`)
		case "6":
			proxytest.WriteItem(w, `{"id":6,"hide_from_listings":true}`)
		default:
			proxytest.WriteItem(w, `{"id":7,"hide_from_listings":false}`)
		}
	})
	for i, want := range []string{"events.list hidden events", "events.list extra events, hidden events"} {
		f.newSite.says(answer(http.StatusOK, []string{
			`{"events":[{"id":6},{"id":5}],"rest_url":"","total":2,"total_pages":1}`,
			`{"events":[{"id":6},{"id":5},{"id":7}],"rest_url":"","total":2,"total_pages":1}`,
		}[i]))
		f.send(fmt.Sprintf("GET /events?search=%d", i))
		eventually(t, "it is compared", func() bool { return f.compared() == int64(i+1) })
		var got []string
		report := f.findings.Snapshot()
		for _, g := range report.Groups {
			got = append(got, string(g.Kind)+" "+g.Resource)
		}
		for name := range report.Known {
			got = append(got, name)
		}
		if got := "events.list " + strings.Join(got, ", "); got != want {
			t.Errorf("list %d: %s, want %s", i, got, want)
		}
	}
}
