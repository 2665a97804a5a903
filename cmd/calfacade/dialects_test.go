package main

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

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/staging"
)

// pages is where the facades of these tests show the pages of their sites.
const pages = "https://www.example.org"

// side is a facade before a stand-in that speaks a dialect.
type side struct {
	url, upstream string
	config        Config
}

// facadeOver serves a facade over a site that speaks as told. Pages are shown at
// one place whatever the site, so that only the answers can differ.
func facadeOver(t *testing.T, site http.Handler, speech mapping.Backend) side {
	speech.LanguageParam = speech.Dialect.LanguageParam
	candidate := proxy.BackendOptions{Name: "new", Speech: speech, Upstreams: map[string]string{}}
	s := side{upstream: serveTest(t, site), config: demoConfig("https://api.example.org", "http://127.0.0.1:1")}
	s.config.Rewrite.Site = pages
	for _, l := range s.config.Languages {
		candidate.Upstreams[l.Code] = s.upstream + l.Root
	}
	matrix := staging.NewMatrix(time.Now, nil)
	matrix.Configure(staging.Plan{
		Candidate: candidate.Name,
		Cells:     staging.Cells(mapping.Resources(), i18n.Codes),
		Rules:     []staging.Rule{{Setting: staging.Setting{State: staging.New}}},
	})
	o := options(s.config, zap.NewNop())
	o.Backends, o.Staging = []proxy.BackendOptions{candidate}, proxy.StagingOptions{Candidate: candidate.Name, Matrix: matrix}
	s.url = serveTest(t, proxy.New(o))
	return s
}

// document is an answer as a client reads it.
type document struct {
	status int
	header http.Header
	body   any
}

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
	res, body := send(t, r)
	checkLeaks(t, res.Header, body, pages)
	if strings.Contains(string(body), strings.TrimPrefix(s.upstream, "http://")) {
		t.Errorf("%s: the site's host is in the answer", target)
	}
	d := document{status: res.StatusCode, header: http.Header{}}
	for _, name := range []string{"X-Calendar-Total", "X-Calendar-TotalPages", "X-WP-Total", "X-WP-TotalPages", "Link", "Content-Language"} {
		if v := res.Header[name]; v != nil {
			d.header[name] = v
		}
	}
	if err := json.Unmarshal(body, &d.body); err != nil {
		t.Fatalf("%s: %v: %.200s", target, err, body)
	}
	return d
}

// lists are the queries that every list is asked with, beside those of one list.
var lists = map[string][]string{
	"":           {"", "?per_page=50", "?per_page=3&page=2", "?page=9999", "?search=harbour"},
	"events":     {"?per_page=50&starts_after=2000-01-01", "?per_page=50&starts_after=2000-01-01&page=3", "?featured=true", "?start_date=2000-01-01&end_date=tomorrow", "?ends_before=now&per_page=5", "?strict_dates=true&start_date=now"},
	"categories": {"?hide_empty=false&per_page=50", "?orderby=count&order=desc"},
	"tags":       {"?hide_empty=false&per_page=50", "?orderby=slug"},
	"venues":     {"?has_events=true", "?only_with_upcoming=true"},
	"organizers": {"?has_events=true", "?only_with_upcoming=true"},
}

// targets gives what is compared of a language: its lists, and each item of the
// largest of them by id and by slug. Those come from the answers of s.
func (s side) targets(t *testing.T, root string) []string {
	var all []string
	base := root + "/" + mapping.Namespace + "/"
	for _, resource := range mapping.Resources() {
		for _, query := range slices.Concat(lists[""], lists[resource]) {
			all = append(all, base+resource+query)
		}
		largest := base + resource + "?per_page=50"
		if slices.Contains(lists[resource], "?hide_empty=false&per_page=50") {
			largest += "&hide_empty=false"
		}
		got := s.get(t, largest, "").body.(map[string]any)
		for _, item := range got[resource].([]any) {
			i := item.(map[string]any)
			all = append(all, fmt.Sprintf("%s%s/%.0f", base, resource, i["id"]))
			if slug, ok := i["slug"].(string); ok && create(resource).Result != create("tags").Result {
				all = append(all, base+resource+"/by-slug/"+url.PathEscape(slug))
			}
		}
		all = append(all, base+resource+"/999999")
	}
	return all
}

// TestNeutralDialect holds that a site that speaks the neutral namespace itself
// is shown as the legacy is: every list and item, in every language.
func TestNeutralDialect(t *testing.T) {
	site := sim.New(sim.Options{})
	legacy, neutral := facadeOver(t, site, mapping.Backend{Dialect: mapping.Tribe}), facadeOver(t, site.Neutral(), mapping.Backend{Dialect: mapping.Neutral})
	for _, l := range legacy.config.Languages {
		t.Run(l.Code, func(t *testing.T) {
			for _, target := range legacy.targets(t, l.Root) {
				for _, user := range []string{"", "editor"} {
					want, got := legacy.get(t, target, user), neutral.get(t, target, user)
					if diff := cmp.Diff(want, got, cmp.AllowUnexported(document{})); diff != "" {
						t.Fatalf("%s for %q (-legacy +neutral):\n%s", target, user, diff)
					}
				}
			}
		})
	}
}

// TestNeutralWalk is [TestWalk] over such a site.
func TestNeutralWalk(t *testing.T) {
	s := facadeOver(t, sim.New(sim.Options{}).Neutral(), mapping.Backend{Dialect: mapping.Neutral})
	s.config.PublicURL = s.url
	walkOver(t, s.config, pages)
}
