package dialects_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
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
	"github.com/calfacade/calfacade/mapping/recordedtest"
	"github.com/calfacade/calfacade/mapping/tec"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/staging"
)

// side is a facade before a stand-in that speaks a dialect.
type side struct {
	url, upstream string
	legacy        bool // the legacy serves, whose links lead out of the namespace too
	config        config.Config
}

// facadeOver serves a facade over a site with a dialect. Pages are shown at
// one place whatever the site, so that only the answers can differ.
func facadeOver(t *testing.T, site http.Handler, dialect mapping.API) side {
	dialect.LanguageParam = dialect.Dialect.LanguageParam
	candidate := proxy.BackendOptions{Name: "new", Dialect: dialect, Upstreams: map[string]string{}}
	s := side{upstream: processtest.Serve(t, site), config: config.Demo("https://api.example.org", "http://127.0.0.1:1")}
	s.config.PagesURL = processtest.Pages
	for _, l := range s.config.Languages {
		candidate.Upstreams[l.Code] = s.upstream + l.Root
	}
	matrix := staging.NewMatrix(time.Now, nil)
	matrix.Configure(staging.Plan{
		Candidate: proxy.CandidateOf(candidate),
		Cells:     staging.Cells(mapping.Resources(), i18n.Codes),
		Rules:     []staging.Rule{{Setting: staging.Setting{State: staging.New}}},
	})
	o := service.FacadeOptions(s.config, zap.NewNop())
	o.Backends = []proxy.BackendOptions{candidate}
	o.Staging = &proxy.StagingOptions{Candidate: candidate.Name, Matrix: matrix}
	s.url = processtest.Serve(t, proxy.New(o))
	return s
}

// document is an answer as a client reads it.
type document struct {
	status int
	header http.Header
	raw    []byte
	body   any
}

// isRaw is about the bytes of a document, which are compared by their content.
func isRaw(p cmp.Path) bool { return p.Last().String() == ".raw" }

func (s side) get(t *testing.T, target, user string) document {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+target, nil)
	if err != nil {
		t.Fatal(err)
	}
	if user != "" {
		i := slices.IndexFunc(sim.Users, func(u sim.User) bool { return u.Name == user })
		r.SetBasicAuth(user, sim.Users[i].Password)
	}
	res, body := processtest.Send(t, r)
	processtest.CheckLeaks(t, res.Header, body, processtest.Pages)
	if strings.Contains(string(body), strings.TrimPrefix(s.upstream, "http://")) {
		t.Errorf("%s: the site's host is in the answer", target)
	}
	d := document{status: res.StatusCode, header: http.Header{}, raw: body}
	for _, name := range []string{"X-Calendar-Total", "X-Calendar-TotalPages", "X-WP-Total", "X-WP-TotalPages", "Link",
		"Content-Language"} {
		if v := res.Header[name]; v != nil {
			d.header[name] = v
		}
	}
	if err := json.Unmarshal(body, &d.body); err != nil {
		t.Fatalf("%s: %v: %.200s", target, err, body)
	}
	return d
}

// ask sends JSON, with header fields ("Name: value"), as a user with all rights.
func (s side) ask(t *testing.T, method, target, body string, header ...string) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(sim.Users[0].Name, sim.Users[0].Password)
	r.Header.Set("Content-Type", "application/json")
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	return processtest.Send(t, r)
}

// lists are the queries of every list, in addition to the queries of one list.
var lists = map[string][]string{
	"": {"", "?per_page=50", "?per_page=3&page=2", "?page=9999", "?search=er"},
	"events": {"?per_page=50&starts_after=2000-01-01", "?per_page=50&starts_after=2000-01-01&page=3", "?featured=true",
		"?start_date=2000-01-01&end_date=tomorrow", "?ends_before=now&per_page=5", "?strict_dates=true&start_date=now"},
	"categories": {"?hide_empty=false&per_page=50", "?orderby=count&order=desc"},
	"tags":       {"?hide_empty=false&per_page=50", "?orderby=slug"},
	"venues":     {"?has_events=true", "?only_with_upcoming=true"},
	"organizers": {"?has_events=true", "?only_with_upcoming=true"},
}

// targets returns the calls that are compared for a language: its lists, and each item of the
// largest of them by id and by slug. Those come from the answers of s.
func (s side) targets(t *testing.T, root string) []string {
	var paths []string
	base := root + "/" + mapping.Namespace + "/"
	for _, resource := range mapping.Resources() {
		for _, query := range slices.Concat(lists[""], lists[resource]) {
			paths = append(paths, base+resource+query)
		}
		largest := base + resource + "?per_page=50"
		if slices.Contains(lists[resource], "?hide_empty=false&per_page=50") {
			largest += "&hide_empty=false"
		}
		got := s.get(t, largest, "").body.(map[string]any)
		for _, item := range got[resource].([]any) {
			i := item.(map[string]any)
			paths = append(paths, fmt.Sprintf("%s%s/%.0f", base, resource, i["id"]))
			if slug, ok := i["slug"].(string); ok && processtest.Create(resource).Result != processtest.Create("tags").Result {
				paths = append(paths, base+resource+"/by-slug/"+url.PathEscape(slug))
			}
		}
		paths = append(paths, base+resource+"/999999")
		if processtest.Create(resource).Result != processtest.Create("tags").Result {
			paths = append(paths, base+resource+"/by-slug/no-such-item")
		}
	}
	return paths
}

// TestNeutralDialect holds that a site that speaks the neutral namespace itself
// is shown as the legacy is: every list and item, in every language.
func TestNeutralDialect(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	t.Parallel()
	site := sim.New(sim.Options{Clock: processtest.Noon})
	legacy := facadeOver(t, site, mapping.API{Dialect: tribe.Dialect})
	neutral := facadeOver(t, site.Neutral(),
		mapping.API{Dialect: mapping.Neutral})
	for _, l := range legacy.config.Languages {
		t.Run(l.Code, func(t *testing.T) {
			for _, target := range legacy.targets(t, l.Root) {
				for _, user := range []string{"", "editor"} {
					want := legacy.get(t, target, user)
					got := neutral.get(t, target, user)
					if diff := cmp.Diff(want, got, cmp.AllowUnexported(document{}), cmp.FilterPath(isRaw, cmp.Ignore())); diff != "" {
						t.Fatalf("%s for %q (-legacy +neutral):\n%s", target, user, diff)
					}
				}
			}
		})
	}
}

// TestNeutralWalk is [TestWalk] over such a site.
func TestNeutralWalk(t *testing.T) {
	s := facadeOver(t, sim.New(sim.Options{}).Neutral(), mapping.API{Dialect: mapping.Neutral})
	s.config.PublicURL = s.url
	processtest.WalkOver(t, s.config, processtest.Pages)
}

// endpointOf returns the endpoint of a target that [side.targets] returned.
func endpointOf(target string) string {
	_, path, _ := strings.Cut(target, "/"+mapping.Namespace+"/")
	path, _, _ = strings.Cut(path, "?")
	switch resource, item, isItem := strings.Cut(path, "/"); {
	case !isItem:
		return resource + ".list"
	case strings.HasPrefix(item, "by-slug/"):
		return resource + ".read_by_slug"
	default:
		return resource + ".read"
	}
}

// TestSuccessorLookupFails: the answer to the read that is needed first is the answer.
func TestSuccessorLookupFails(t *testing.T) {
	s := facadeOver(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { processtest.Refuse(w, "incorrect_password") }),
		mapping.API{Dialect: tec.Dialect})
	res, body := s.ask(t, http.MethodGet, "/wp-json/"+mapping.Namespace+"/events?categories=jazz", "")
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

// TestSuccessorRefuses: a backend gets no calls that its dialect lacks.
func TestSuccessorRefuses(t *testing.T) {
	event := recordedtest.Read(t, recordedtest.Files(t, "tec/en/events-read-featured")[0]).Response.Body
	s := facadeOver(t, processtest.Unless(http.HandlerFunc(processtest.EmptySuccessor), func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/tec/v1/events/587") {
			return false
		}
		processtest.Text(string(event))(w, r)
		return true
	}), mapping.API{Dialect: tec.Dialect})
	for _, test := range []struct{ method, target, body, names string }{
		{"GET", "/events?include=1&geoloc=true", "", "geoloc, include"},
		{"PUT", "/events/587", `{"title":"x","website":"https://a.example"}`, "website"},
		{"GET", "/venues?has_events=1", "", "has_events"},
		{"POST", "/events", `{"title":"x","start_date":"2027-01-01","end_date":"2027-01-01"}`, "status"},
		{"POST", "/venues", `{"venue":"x"}`, "status"},
		{"PUT", "/events/587", `{"image":5}`, "image"},
	} {
		res, body := s.ask(t, test.method, "/wp-json/"+mapping.Namespace+test.target, test.body)
		processtest.CheckLeaks(t, res.Header, body, processtest.Pages)
		var got struct{ Code, Message string }
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != http.StatusNotImplemented || got.Code != "calendar_not_supported" ||
			!strings.Contains(got.Message, ": "+test.names+".") {
			t.Errorf("%s %s: %d %+v", test.method, test.target, res.StatusCode, got)
		}
	}
}

// TestSuccessorDocumented: docs/migration.md lists the known differences.
func TestSuccessorDocumented(t *testing.T) {
	var table strings.Builder
	for _, k := range tec.Differences() {
		fmt.Fprintf(&table, "| %s | %s |\n", k.Name, k.Why)
	}
	if doc := processtest.ReadFile(t, processtest.Repository+"/docs/migration.md"); !strings.Contains(doc, "|---|---|\n"+table.String()+"\n") {
		t.Errorf("docs/migration.md does not have these rows:\n%s", table.String())
	}
}
