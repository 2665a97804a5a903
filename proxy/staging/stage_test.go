package staging_test

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/tec"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/stagingtest"
	"github.com/calfacade/calfacade/proxy/upstream"
	"github.com/google/go-cmp/cmp"
)

// titleOf returns which backend the title in a body names.
func titleOf(body string) string {
	for _, title := range []string{"old", "new"} {
		if strings.Contains(body, `"title":"`+title) {
			return title
		}
	}
	return body
}

// TestMatrixSelectsTheBackend: reads and writes go where the matrix sends them, and to one
// backend alone.
func TestMatrixSelectsTheBackend(t *testing.T) {
	onlyES := facadetest.Everywhere(staging.New)
	onlyES[0].Languages = []string{"es"}
	tests := []struct {
		name          string
		rules         []staging.Rule
		reads, writes string
		es            string // backend of a read in Spanish
	}{
		{"no rule", nil, "old", "old", "old"},
		{"legacy", facadetest.Everywhere(staging.Legacy), "old", "old", "old"},
		{"shadow", facadetest.Everywhere(staging.Shadow), "old", "old", "old"},
		{"new", facadetest.Everywhere(staging.New), "new", "new", "new"},
		{"new with fallback", facadetest.Everywhere(staging.NewWithFallback), "new", "new", "new"},
		{"one language", onlyES, "old", "old", "new"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := facadetest.NewStagedFacade(t, tt.rules, staging.Rollback{}, facadetest.Unwatched)
			for _, ask := range []struct{ line, want string }{
				{"GET /events/5", tt.reads}, {"GET /events/5", tt.reads}, {"GET /es/events/5", tt.es}, {"DELETE /events/5", tt.writes},
			} {
				if _, body := f.Send(ask.line); titleOf(body) != ask.want {
					t.Errorf("%s: %s answered, want %s", ask.line, titleOf(body), ask.want)
				}
			}
			if old, current := f.Calls.Load(), f.NewSite.Calls.Load(); old+current != 3 { // the second read is a hit
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
			f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.New), staging.Rollback{}, nil)
			plan := staging.Plan{
				Candidate: f.Candidate,
				Cells:     staging.Cells(mapping.Resources(), []string{"en"}),
				Rules:     facadetest.Everywhere(staging.New),
			}
			alter(&plan.Candidate)
			f.NewSite.Says(func(w http.ResponseWriter, r *http.Request) {
				f.Matrix.Configure(plan)
				facadetest.Entitled("new")(w, r)
			})
			if _, body := f.Send("POST /venues {\"venue\":\"Hall\"}"); titleOf(body) != "new" {
				t.Fatalf("before: %s", body)
			}
			for _, line := range []string{"GET /events/5", "GET /events/5", "DELETE /events/5", "POST /events " + facadetest.AnEvent} {
				if _, body := f.Send(line); titleOf(body) != "old" {
					t.Errorf("%s: %s", line, body)
				}
			}
			for _, c := range f.Matrix.Snapshot().Cells {
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
	f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.New), staging.Rollback{}, nil)
	f.NewSite.Says(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, proxytest.Marked(`{"id":5,"title":"new","rest_url":"http://`+r.Host+`/es/wp-json/calendar/events/v1/events/5"}`))
		if got, want := r.URL.String(), "/es/wp-json/calendar/events/v1/events/5?i18n_language=es"; got != want {
			t.Errorf("called %s, want %s", got, want)
		}
	})
	if _, body := f.Send("GET /es/events/5"); !strings.Contains(body, `"`+facadetest.PublicURL+`/es/wp-json/calendar/events/v1/events/5"`) {
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
		f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.New), staging.Rollback{}, func(o *proxy.Options) {
			facadetest.Unwatched(o)
			o.Site[1].Select = test.selectedBy
			if roots := o.Backends[0].Upstreams; test.shared {
				roots["es"] = roots["en"]
			}
		})
		f.NewSite.Says(func(w http.ResponseWriter, r *http.Request) {
			proxytest.WriteItem(w, `{"id":5,"title":"new"}`)
			if r.URL.RawQuery != test.want {
				t.Errorf("%s: called with %s, want %s", test.name, r.URL.RawQuery, test.want)
			}
		})
		if _, body := f.Send("GET /es/events/5"); titleOf(body) != "new" {
			t.Errorf("%s: %s", test.name, body)
		}
	}
}

// TestLanguageNamesOfTheCandidate: the candidate may have its own names for languages. Calls
// use them, links with them come back with the code, and no entry of the cache has other
// names.
func TestLanguageNamesOfTheCandidate(t *testing.T) {
	var options proxy.Options
	first := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.New), staging.Rollback{}, func(o *proxy.Options) { options = *o })
	for _, word := range []string{"es_ES", "es_MX"} {
		f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.New), staging.Rollback{}, func(o *proxy.Options) {
			o.Backends[0].Dialect.Languages = map[string]string{"es": word}
			o.Backends[0].Upstreams = options.Backends[0].Upstreams
			o.Site = options.Site
			o.Cache = options.Cache
		})
		first.NewSite.Says(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, proxytest.Marked(`{"id":5,"title":"new","rest_url":"http://`+r.Host+r.URL.RequestURI()+`&x=1"}`))
			if got, want := r.URL.RawQuery, "i18n_language="+word; got != want {
				t.Errorf("called with %s, want %s", got, want)
			}
		})
		calls := first.NewSite.Calls.Load()
		if _, body := f.Send("GET /es/events/5"); !strings.Contains(body, `/events/5?i18n_language=es&x=1"`) ||
			first.NewSite.Calls.Load() != calls+1 {
			t.Errorf("%s: %d calls, %s", word, first.NewSite.Calls.Load()-calls, body)
		}
	}
}

// TestCanarySticks: a client is always in the canary or never, alone or signed in,
// and the two have nothing of each other from the cache.
func TestCanarySticks(t *testing.T) {
	f := facadetest.NewStagedFacade(t, []staging.Rule{facadetest.Rule(staging.Canary, 50)}, staging.Rollback{}, func(o *proxy.Options) {
		o.Edge.Trust.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		facadetest.StagingOf(o).Comparer = nil
	})
	counts := map[string]int{}
	for i := range 64 {
		client := fmt.Sprintf("X-Forwarded-For: 192.0.2.%d", i)
		_, first := f.Send("GET /events/5", client)
		counts[titleOf(first)]++
		if _, again := f.Send("GET /events/5", client); again != first {
			t.Errorf("client %d: first %s, then %s", i, titleOf(first), titleOf(again))
		}
		if _, signed := f.Send("GET /events/5", client, "Authorization: Basic YTpi"); i > 0 && titleOf(signed) != signedIn(f) {
			t.Errorf("who signs in is sent to %s from one address and not from another", titleOf(signed))
		}
	}
	if counts["old"] < 16 || counts["new"] < 16 {
		t.Errorf("of 64 clients: %v, want about half", counts)
	}
}

// signedIn sends a request with the same credentials from another address.
func signedIn(f *facadetest.StagedFacade) string {
	_, body := f.Send("GET /events/5", "Authorization: Basic YTpi")
	return titleOf(body)
}

// TestCanaryOfRequests: a canary by requests takes requests of one client, hits too, counts
// what both backends got, and leaves all with credentials and all writes to the legacy.
func TestCanaryOfRequests(t *testing.T) {
	rules := []staging.Rule{{Setting: staging.Setting{State: staging.Canary, Percent: 50, By: staging.Requests}}}
	f := facadetest.NewStagedFacade(t, rules, staging.Rollback{}, facadetest.Unwatched)
	got := map[string]uint64{}
	for range 200 {
		_, body := f.Send("GET /events/5")
		got[titleOf(body)]++
	}
	if got["old"] == 0 || got["new"] == 0 || f.Calls.Load() != 1 || f.NewSite.Calls.Load() != 1 {
		t.Errorf("of 200 requests: %v, with %d and %d calls", got, f.Calls.Load(), f.NewSite.Calls.Load())
	}
	if c := f.Matrix.Snapshot().Cells[0]; c.Requests != (staging.Sides{Legacy: got["old"], Candidate: got["new"]}) {
		t.Errorf("counted %+v, want %v", c.Requests, got)
	}
	for range 20 {
		for _, line := range []string{"GET /events/6", "DELETE /events/6"} {
			if _, body := f.Send(line, "Authorization: Basic YTph"); titleOf(body) != "old" {
				t.Errorf("%s with credentials: %s", line, body)
			}
		}
		if _, body := f.Send("DELETE /events/7"); titleOf(body) != "old" {
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
		"500": facadetest.Answer(500, `{}`), "503": facadetest.Answer(503, `{}`), "no JSON": facadetest.Answer(200, "<html>"), "broken": broken,
		"redirect": http.RedirectHandler("/x", http.StatusMovedPermanently).ServeHTTP,
	} {
		t.Run(name, func(t *testing.T) {
			f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.NewWithFallback), staging.Rollback{}, facadetest.Unwatched)
			f.NewSite.Says(fault)
			for range 3 {
				if res, body := f.Send("GET /events/5"); res.StatusCode != 200 || titleOf(body) != "old" {
					t.Errorf("got %d %s", res.StatusCode, body)
				}
			}
			f.NewSite.Says(facadetest.Entitled("new"))
			if _, body := f.Send("GET /events/5"); titleOf(body) != "new" {
				t.Errorf("what the legacy answered is kept as the candidate's")
			}
			f.NewSite.Says(fault)
			calls := f.Calls.Load()
			if res, _ := f.Send("POST /events " + facadetest.AnEvent); res.StatusCode < 500 {
				t.Errorf("a write that failed: got %d", res.StatusCode)
			}
			if total := f.Calls.Load(); total != calls {
				t.Error("the write was sent to the legacy too")
			}
		})
	}
	t.Run("the log has both", func(t *testing.T) {
		var logs facadetest.Records
		f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.NewWithFallback), staging.Rollback{}, func(o *proxy.Options) {
			facadetest.Unwatched(o)
			o.Log = logs.Logger()
		})
		f.NewSite.Says(facadetest.Answer(http.StatusInternalServerError, `{}`))
		f.Send("GET /events/5")
		if r := logs.Wait(t, 1)[0]; r["upstream_calls"] != int64(2) || r["upstream_status"] != int64(200) || r["backend"] != nil {
			t.Errorf("logged %v", r)
		}
	})
	t.Run("404 is a response", func(t *testing.T) {
		f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.NewWithFallback), staging.Rollback{}, facadetest.Unwatched)
		f.NewSite.Says(facadetest.Answer(404, `{"code":"event-not-found","message":"","data":{"status":404}}`))
		if res, _ := f.Send("GET /events/5"); res.StatusCode != http.StatusNotFound || f.Calls.Load() != 0 {
			t.Errorf("got %d, with %d calls on the legacy", res.StatusCode, f.Calls.Load())
		}
	})
	t.Run("without fallback", func(t *testing.T) {
		f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.New), staging.Rollback{}, facadetest.Unwatched)
		f.NewSite.Says(facadetest.Answer(500, `{}`))
		if res, _ := f.Send("GET /events/5"); res.StatusCode != 502 || f.Calls.Load() != 0 {
			t.Errorf("got %d, with %d calls on the legacy", res.StatusCode, f.Calls.Load())
		}
	})
}

// TestFallbackForWhatADialectLacks: the legacy serves what the candidate's dialect does not
// support, and that does not count as a failure.
func TestFallbackForWhatADialectLacks(t *testing.T) {
	f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.NewWithFallback), staging.Rollback{}, func(o *proxy.Options) {
		facadetest.Unwatched(o)
		o.Backends[0].Dialect = mapping.API{Dialect: tec.Dialect}
	})
	if res, body := f.Send("GET /events?include=5"); res.StatusCode != 200 || titleOf(body) != "old" {
		t.Errorf("got %d %s", res.StatusCode, body)
	}
	if calls := f.NewSite.Calls.Load(); calls != 0 {
		t.Errorf("the candidate got %d calls", calls)
	}
	for _, c := range f.Matrix.Snapshot().Cells {
		if c.Calls != 0 {
			t.Errorf("counted as a response: %+v", c)
		}
	}
}

// TestFacadeRollsBack: a canary that fails goes back to the legacy automatically, reads and
// writes, with a reason. Hits of the cache are no calls of the candidate.
func TestFacadeRollsBack(t *testing.T) {
	f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.New), staging.Rollback{Errors: 50, Calls: 4, Window: time.Minute}, nil)
	f.NewSite.Says(facadetest.Answer(500, `{}`))
	for i := range 8 {
		want := 502
		if i >= 4 {
			want = 200
		}
		if res, _ := f.Send(fmt.Sprintf("GET /events/%d", i+1)); res.StatusCode != want {
			t.Errorf("read %d: got %d, want %d", i+1, res.StatusCode, want)
		}
	}
	last := f.Changes[len(f.Changes)-1]
	if last.Who != "rollback" || last.To.State != staging.Legacy || !strings.Contains(last.Why, "4 of 4 responses failed") ||
		len(last.Cells) != 2 {
		t.Errorf("the change: %+v", last)
	}
	if _, body := f.Send("GET /venues"); titleOf(body) != "{}" &&
		stagingtest.Route(f.Matrix, f.Candidate, staging.Cell{Op: staging.Read, Resource: "venues", Language: "en"},
			staging.Client{}).Candidate != true {
		t.Errorf("another resource was rolled back as well: %s", body)
	}
}

// TestWritesTaken: what the candidate has written, or may have, keeps it from being
// rolled back; what it refused does not.
func TestWritesTaken(t *testing.T) {
	f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.New), staging.Rollback{}, facadetest.Unwatched)
	count := func() (n uint64) {
		for _, c := range f.Matrix.Snapshot().Cells {
			n += c.Written
		}
		return n
	}
	for _, ask := range []struct {
		says http.HandlerFunc
		want uint64
	}{
		{facadetest.Answer(http.StatusCreated, `{"id":5}`), 1},
		{facadetest.Answer(http.StatusUnauthorized, `{"code":"rest_forbidden"}`), 1},
		{facadetest.Answer(http.StatusInternalServerError, `{}`), 2},
		{facadetest.Answer(http.StatusCreated, `<html>`), 3},
	} {
		f.NewSite.Says(ask.says)
		f.Send("POST /venues {\"venue\":\"Hall\"}")
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
		{"the same", facadetest.Entitled("old"), facadetest.Entitled("old"), nil, 0},
		{"another value", facadetest.Entitled("old"), facadetest.Entitled("new"), []string{"title value 1"}, 0},
		{"missing", facadetest.Answer(200, `{"id":5,"excerpt":"x"}`), facadetest.Answer(200, `{"id":5}`), []string{"excerpt missing 1"}, 0},
		{"fails", facadetest.Entitled("old"), facadetest.Answer(500, `{}`), []string{" status 1"}, 0},
		{"restless", nil, facadetest.Entitled("new"), nil, 1},
	}
	for _, tt := range tests {
		for _, state := range []staging.State{staging.Shadow, staging.New} {
			t.Run(tt.name+" "+string(state), func(t *testing.T) {
				if state == staging.New && tt.name == "fails" {
					t.Skip("there is no response to compare")
				}
				f := facadetest.NewStagedFacade(t, facadetest.Everywhere(state), staging.Rollback{}, nil)
				if tt.old == nil {
					tt.old = counting()
				}
				f.Answers(tt.old)
				f.NewSite.Says(tt.new)
				f.Send("GET /events/5")
				facadetest.Eventually(t, "compared", func() bool { return f.Compared() > 0 })
				report := f.Findings.Snapshot()
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
				facadetest.Eventually(t, "counted", func() bool {
					var compared, different uint64
					for _, c := range f.Matrix.Snapshot().Cells {
						compared = compared + c.Compared
						different = different + c.Different
					}
					return compared == 1 && different == differing
				})
				if noise := report.Tallies[0].Noise; noise != tt.noise {
					t.Errorf("noise %d, want %d", noise, tt.noise)
				}
			})
		}
	}
}

// TestShadowOfLegacyNames: responses in the legacy's names are compared in neutral ones, in which the legacy's
// answer for a website that is missing is none.
func TestShadowOfLegacyNames(t *testing.T) {
	for _, state := range []staging.State{staging.Shadow, staging.New} {
		f := facadetest.NewStagedFacade(t, facadetest.Everywhere(state), staging.Rollback{}, facadetest.InLegacyNames)
		f.Answers(facadetest.Answer(200, `{"id":5,"url":"https://x.example/event/5","website":"https://x.example/event/5"}`))
		f.NewSite.Says(facadetest.Answer(200, `{"id":5,"url":"https://x.example/event/5","website":""}`))
		f.SendLegacy("GET /wp-json/tribe/events/5")
		facadetest.Eventually(t, "compared", func() bool { return f.Compared() > 0 })
		if report := f.Findings.Snapshot(); report.Total > 0 || report.Tallies[0].Noise > 0 {
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
	f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.Shadow), staging.Rollback{}, func(o *proxy.Options) {
		facadetest.StagingOf(o).Comparer = comparer
	})
	f.Send("GET /events/5")
	facadetest.Eventually(t, "counted", func() bool {
		var compared, different uint64
		for _, c := range f.Matrix.Snapshot().Cells {
			compared = compared + c.Compared
			different = different + c.Different
		}
		return compared == 1 && different == 0
	})
	report := f.Findings.Snapshot()
	if diff := cmp.Diff(map[string]int{"titles": 1}, report.Known); diff != "" ||
		report.Total > 0 || f.Calls.Load() != 1 {
		t.Errorf("%d reads of the legacy, %+v: %s", f.Calls.Load(), report, diff)
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
		f := facadetest.NewStagedFacade(t, facadetest.Everywhere(test.state), staging.Rollback{}, nil)
		marks := func(marks *string, title string) http.HandlerFunc {
			var mu sync.Mutex
			return func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				*marks += r.Header.Get("X-Calfacade-Shadow") + ";"
				facadetest.Entitled(title)(w, r)
			}
		}
		var old, now string
		f.Answers(marks(&old, "old"))
		f.NewSite.Says(marks(&now, "new"))
		f.Send("GET /events/5", "X-Calfacade-Shadow: 2")
		facadetest.Eventually(t, "compared", func() bool { return f.Compared() > 0 })
		if old != test.old || now != test.new {
			t.Errorf("%s: marks %q of the legacy, want %q; %q of the candidate, want %q", test.state, old, test.old, now, test.new)
		}
	}
}

// counting is a site with responses that differ each time.
func counting() http.HandlerFunc {
	var n atomic.Int64
	return func(w http.ResponseWriter, _ *http.Request) {
		proxytest.WriteItem(w, `{"id":5,"title":"%d"}`, n.Add(1))
	}
}

// TestShadowAfterTheAnswer: the candidate is called after the client has its response,
// without anything of the client's, and never for a hit, a write, or a request with
// credentials.
func TestShadowAfterTheAnswer(t *testing.T) {
	rules := append(facadetest.Everywhere(staging.Shadow), facadetest.Rule(staging.Legacy, 0))
	rules[1].Resources = []string{"organizers"}
	f := facadetest.NewStagedFacade(t, rules, staging.Rollback{}, nil)
	f.NewSite.Received = make(chan *http.Request)
	f.Send("GET /events/5", "Cookie: secret=1", "X-Secret: 1") // the candidate still waits
	r := <-f.NewSite.Received
	if got := r.Header.Get("Cookie") + r.Header.Get("X-Secret") + r.Header.Get("Authorization"); got != "" {
		t.Errorf("the candidate was sent %q", got)
	}
	for _, line := range []string{"GET /events/5", "HEAD /events/5", "POST /events " + facadetest.AnEvent, "GET /organizers/1"} {
		f.Send(line)
	}
	f.Send("GET /events/7", "Authorization: Basic YTpi")
	f.Send("GET /events/7?password=p")
	for _, line := range []string{"GET /events/8", "HEAD /events/9"} {
		f.Send(line)
		method, path, _ := strings.Cut(line, " ")
		if r := <-f.NewSite.Received; r.Method != http.MethodGet || r.URL.Path != "/wp-json/calendar/events/v1"+path {
			t.Errorf("after a %s the candidate got %s %s", method, r.Method, r.URL.Path)
		}
	}
}

// TestShadowSkipsAnOpenBreaker: nothing is compared while the breaker of the candidate is
// open.
func TestShadowSkipsAnOpenBreaker(t *testing.T) {
	var logs facadetest.Records
	f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.Shadow), staging.Rollback{}, func(o *proxy.Options) {
		o.Log = logs.Logger()
		o.Requests = "none"
		o.Upstream.Breaker = upstream.BreakerOptions{Failures: 1, Open: time.Hour}
	})
	f.NewSite.Says(facadetest.Answer(http.StatusInternalServerError, `{}`))
	f.Send("GET /events/5")
	facadetest.Eventually(t, "compared", func() bool { return f.Compared() > 0 })
	f.Send("GET /events/6")
	facadetest.Eventually(t, "left alone", func() bool { return logs.Logs.FilterMessage("not compared").Len() > 0 })
	if n := f.Compared(); n != 1 {
		t.Errorf("%d answers compared, want 1", n)
	}
}

// TestShadowGivesWay: a comparison does not wait for a place at a site that clients
// could wait for.
func TestShadowGivesWay(t *testing.T) {
	var logs facadetest.Records
	f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.Shadow), staging.Rollback{}, func(o *proxy.Options) {
		o.Log = logs.Logger()
		o.Requests = "none"
		o.Upstream.MaxConcurrent = 1
		o.Upstream.MaxQueue = 10
		o.Upstream.QueueTimeout = time.Hour
		facadetest.StagingOf(o).Limits.Timeout = time.Hour
	})
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	f.NewSite.Says(func(http.ResponseWriter, *http.Request) { <-hang })
	f.Send("GET /events/5")
	facadetest.Eventually(t, "called", func() bool { return f.NewSite.Calls.Load() == 1 })
	f.Send("GET /events/6")
	facadetest.Eventually(t, "given way", func() bool { return logs.Logs.FilterMessage("not compared").Len() > 0 })
}

// TestShadowNeverWaits: a candidate that hangs costs no client anything, and what
// there is no room for is dropped and counted.
func TestShadowNeverWaits(t *testing.T) {
	hang := make(chan struct{})
	f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.Shadow), staging.Rollback{}, func(o *proxy.Options) {
		facadetest.StagingOf(o).Limits = staging.Limits{Rate: 1000, Concurrency: 1, Waiting: 2}
		o.Cache = nil
	})
	t.Cleanup(func() { close(hang) })
	f.NewSite.Says(func(http.ResponseWriter, *http.Request) { <-hang })
	for i := range 20 {
		if res, _ := f.Send(fmt.Sprintf("GET /events/%d", i+1)); res.StatusCode != 200 {
			t.Fatalf("read %d: got %d", i+1, res.StatusCode)
		}
	}
	facadetest.Eventually(t, "dropped", func() bool { return f.Facade.Dropped() >= 17 })
}

// TestShadowKnowsHiddenEvents: an event that the candidate lists and the legacy hides is no
// difference of the list.
func TestShadowKnowsHiddenEvents(t *testing.T) {
	f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.Shadow), staging.Rollback{}, func(o *proxy.Options) {
		comparer, err := compare.Rules{Ignore: []string{"rest_url"}, Known: tec.Differences()}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		facadetest.StagingOf(o).Comparer = comparer
	})
	f.Answers(func(w http.ResponseWriter, r *http.Request) {
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
		f.NewSite.Says(facadetest.Answer(http.StatusOK, []string{
			`{"events":[{"id":6},{"id":5}],"rest_url":"","total":2,"total_pages":1}`,
			`{"events":[{"id":6},{"id":5},{"id":7}],"rest_url":"","total":2,"total_pages":1}`,
		}[i]))
		f.Send(fmt.Sprintf("GET /events?search=%d", i))
		facadetest.Eventually(t, "it is compared", func() bool { return f.Compared() == int64(i+1) })
		var got []string
		report := f.Findings.Snapshot()
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
