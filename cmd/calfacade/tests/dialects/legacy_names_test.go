package dialects_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/staging"
)

// candidates are the backends that may replace the legacy, by their dialect.
var candidates = map[string]struct {
	dialect *mapping.Dialect
	handler func(*sim.Site) http.Handler
}{
	"neutral": {mapping.Neutral, func(s *sim.Site) http.Handler { return s.Neutral() }},
	"same":    {tribe.Dialect, func(s *sim.Site) http.Handler { return s }},
}

// legacyNamesOver serves a facade for clients of the legacy names, before a legacy and a candidate of
// which rule selects one.
func legacyNamesOver(t *testing.T, legacy, candidate http.Handler, dialect *mapping.Dialect, rule staging.Setting) side {
	next := proxy.BackendOptions{Name: "new", Dialect: mapping.API{Dialect: dialect, LanguageParam: dialect.LanguageParam},
		Upstreams: map[string]string{}}
	s := side{legacy: rule.State == staging.Legacy || rule.State == staging.Shadow, upstream: processtest.Serve(t, candidate),
		config: config.Demo("https://api.example.org", processtest.Serve(t, legacy))}
	s.config.PagesURL, s.config.LegacyClients.Enabled = processtest.Pages, true
	for _, l := range s.config.Languages {
		next.Upstreams[l.Code] = s.upstream + l.Root
	}
	matrix := staging.NewMatrix(time.Now, nil)
	matrix.Configure(staging.Plan{
		Candidate: proxy.CandidateOf(next), Cells: staging.Cells(mapping.Resources(), i18n.Codes), Rules: []staging.Rule{{Setting: rule}},
	})
	o := service.FacadeOptions(s.config, zap.NewNop())
	o.Backends = []proxy.BackendOptions{next}
	o.Staging = &proxy.StagingOptions{Candidate: next.Name, Matrix: matrix}
	s.url = processtest.Serve(t, proxy.New(o))
	return s
}

// askOld sends a request in the legacy names as a user, and checks that nothing of the facade's own
// names or of another host is in the response.
func (s side) askOld(t *testing.T, method, target, body, user string) document {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+strings.Replace(target, mapping.Namespace, processtest.LegacyNamespace, 1),
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if user != "" {
		i := slices.IndexFunc(sim.Users, func(u sim.User) bool { return u.Name == user })
		r.SetBasicAuth(user, sim.Users[i].Password)
	}
	res, raw := processtest.Send(t, r)
	d := document{status: res.StatusCode, header: http.Header{}, raw: raw}
	for _, name := range []string{"X-TEC-Total", "X-TEC-TotalPages"} {
		d.header[name] = res.Header[http.CanonicalHeaderKey(name)]
	}
	if err := json.Unmarshal(raw, &d.body); err != nil {
		t.Fatalf("%s %s: %v: %.200s", method, target, err, raw)
	}
	links := strings.Join(res.Header.Values("Link"), " ")
	if !strings.Contains(links, "/wp-json/"+mapping.Namespace) || !strings.HasSuffix(links, `; rel="successor-version"`) {
		t.Errorf("%s %s: Link %s", method, target, links)
	}
	for _, wrong := range s.foreign("", d.body) {
		t.Errorf("%s %s: %s", method, target, wrong)
	}
	return d
}

// foreign returns the names that a response in the legacy names must not have, outside of texts that people write:
// neutral names, and links to the REST interface of another site than the facade.
func (s side) foreign(name string, v any) (names []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			names = append(names, s.foreign(name, inner)...)
		}
	case []any:
		for _, inner := range v {
			names = append(names, s.foreign(name, inner)...)
		}
	case string:
		if name == "description" || name == "excerpt" || name == "title" || name == "website" {
			return nil
		}
		for _, neutral := range []string{"calendar/", "calendar_events", "i18n_language", strings.TrimPrefix(s.upstream, "http://")} {
			if strings.Contains(v, neutral) {
				names = append(names, neutral+" in "+name+": "+v)
			}
		}
		ofLegacy := s.legacy && strings.Contains(v, "/wp-json/wp/v2/")
		if strings.Contains(v, "/wp-json") && !ofLegacy &&
			(!strings.HasPrefix(v, "https://api.example.org/") || !strings.Contains(v, "/wp-json/"+processtest.LegacyNamespace)) {
			names = append(names, "link in "+name+": "+v)
		}
	}
	return names
}

// newForms are the differences in a response that another backend than the legacy made; see
// docs/migration.md.
var newForms = []string{"_links", "rest_url", "next_rest_url", "previous_rest_url"}

// TestLegacyClientsOfACandidate: clients of the legacy names read from a candidate the same as from the
// legacy, but for the differences that docs/migration.md lists.
func TestLegacyClientsOfACandidate(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	for name, candidate := range candidates {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := sim.New(sim.Options{Clock: processtest.Noon})
			list := facadeOver(t, site, mapping.API{Dialect: tribe.Dialect})
			legacy := legacyNamesOver(t, site, http.NotFoundHandler(), mapping.Neutral, staging.Setting{State: staging.Legacy})
			next := legacyNamesOver(t, http.NotFoundHandler(), candidate.handler(site), candidate.dialect, staging.Setting{State: staging.New})
			rules := compare.Rules{Ignore: newForms}
			if candidate.dialect == mapping.Neutral {
				rules.Ignore = append(slices.Clone(newForms), "url", "website") // of drafts, which name no post type there
			}
			strict, err := rules.Compile()
			if err != nil {
				t.Fatal(err)
			}
			compared := 0
			for _, target := range list.targets(t, "/es/wp-json") {
				for _, user := range []string{"", "editor"} {
					want := legacy.askOld(t, http.MethodGet, target, "", user)
					got := next.askOld(t, http.MethodGet, target, "", user)
					if diff := cmp.Diff(want.header, got.header); diff != "" && want.status == got.status {
						t.Errorf("%s as %q (-legacy +candidate):\n%s", target, user, diff)
					}
					for _, d := range strict.Documents(endpointOf(target), compare.Document{Status: want.status, Body: want.raw},
						compare.Document{Status: got.status, Body: got.raw}) {
						t.Errorf("%s as %q: %+v", target, user, d)
					}
					compared++
				}
			}
			if compared < 140 {
				t.Errorf("only %d responses compared", compared)
			}
		})
	}
}

// TestLegacyNamesWrite: a write in the legacy names goes to the backend that the state selects, to no
// other, and its response has their form.
func TestLegacyNamesWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	for name, candidate := range candidates {
		for _, rule := range []staging.Setting{
			{State: staging.Legacy}, {State: staging.Shadow}, {State: staging.Canary,
				Percent: 100}, {State: staging.NewWithFallback}, {State: staging.New},
		} {
			t.Run(fmt.Sprintf("%s/%v", name, rule.State), func(t *testing.T) {
				t.Parallel()
				var legacyWrites, atLegacy, atCandidate atomic.Int64
				legacy := legacyNamesOver(t, writesTo(&legacyWrites, sim.New(sim.Options{Clock: processtest.Noon})), http.NotFoundHandler(),
					mapping.Neutral, staging.Setting{State: staging.Legacy})
				migrating := legacyNamesOver(t, writesTo(&atLegacy, sim.New(sim.Options{Clock: processtest.Noon})),
					writesTo(&atCandidate, candidate.handler(sim.New(sim.Options{Clock: processtest.Noon}))), candidate.dialect, rule)
				selected := &atLegacy
				unselected := &atCandidate
				if rule.State != staging.Legacy && rule.State != staging.Shadow {
					selected, unselected = unselected, selected
				}
				for _, resource := range []string{"tags", "categories", "venues", "organizers", "events"} {
					writeOld(t, resource, legacy, migrating)
				}
				if n := selected.Load(); n != legacyWrites.Load() || unselected.Load() != 0 {
					t.Errorf("%d writes at the selected backend, want %d, and %d at the other", n, legacyWrites.Load(), unselected.Load())
				}
			})
		}
	}
}

// writesTo counts the writes that a site carries out.
func writesTo(n *atomic.Int64, site http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site.ServeHTTP(w, r)
		if r.Method != http.MethodGet {
			n.Add(1)
		}
	})
}

// writeOld creates, updates, reads and deletes an item of a resource at both facades.
func writeOld(t *testing.T, resource string, legacy, migrating side) {
	t.Helper()
	fields := map[string]string{
		"tags": `"name":"Old \u00e9"`, "categories": `"name":"Old \u00e9","description":"<b>x</b>"`,
		"venues":     `"venue":"Old","status":"publish","city":"Bath"`,
		"organizers": `"organizer":"Old","status":"publish","email":"a@example.org"`,
		"events":     `"title":"Old","status":"publish","start_date":"2027-01-01 10:00:00","end_date":"2027-01-01 11:00:00","cost":"5"`,
	}[resource]
	base := "/es/wp-json/" + mapping.Namespace + "/" + resource
	id := ""
	for _, step := range []struct{ method, path, body string }{
		{http.MethodPost, "", "{" + fields + "}"},
		{http.MethodPut, "/ID", `{"slug":"old-names","description":"new"}`},
		{http.MethodGet, "/ID", ""},
		{http.MethodPatch, "/ID", `{"wpml_language":"es","description":"newer"}`},
		{http.MethodDelete, "/ID", ""},
		{http.MethodGet, "/ID", ""},
		{http.MethodDelete, "/ID", ""},
	} {
		path := strings.Replace(step.path, "ID", id, 1)
		want := legacy.askOld(t, step.method, base+path, step.body, "admin")
		got := migrating.askOld(t, step.method, base+path, step.body,
			"admin")
		if id == "" {
			id, _ = mapping.ItemID(want.raw)
		}
		if want.status != got.status || mapping.CodeOf(want.raw) != mapping.CodeOf(got.raw) {
			t.Errorf("%s %s %s: %d %s, want %d %s", step.method, base+path, step.body, got.status, got.raw, want.status, want.raw)
		}
	}
}
