package languages_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"go.uber.org/zap"
)

const adminToken = "0123456789abcdef"

// languageTest is a facade with a cache and one without, before the same site.
type languageTest struct {
	*testing.T
	mode           sim.LanguageMode
	site           *sim.Site
	cached, direct *proxy.Facade
	admin          *admin.Admin
	random         *rand.Rand

	ids map[string][]int // by resource, of every language
}

func newLanguageTest(t *testing.T, mode sim.LanguageMode, seed uint64) *languageTest {
	clock := func() time.Time { return facadetest.Start }
	l := &languageTest{T: t, mode: mode, random: rand.New(rand.NewPCG(seed, 0))}
	l.site = sim.New(sim.Options{Clock: clock, Site: "http://legacy.test", Languages: mode})
	legacy := httptest.NewServer(l.withOccurrences(l.site))
	t.Cleanup(legacy.Close)
	o := proxy.Options{
		PublicURL: facadetest.PublicURL, Clock: clock, Site: siteOf(mode, legacy.URL),
		Legacy: proxy.BackendOptions{Dialect: mapping.API{LanguageParam: "lang"}, SiteAliases: []string{"http://legacy.test"}},
	}
	l.direct = proxy.New(o)
	t.Cleanup(l.direct.Close)
	o.Cache = cache.New(cache.Options{Clock: clock})
	t.Cleanup(o.Cache.Close)
	o.Freshness = freshness.Options{StaleWhileRevalidate: time.Hour, TTL: map[string]time.Duration{freshness.Errors: time.Hour}}
	l.cached = proxy.New(o)
	t.Cleanup(l.cached.Close)
	l.admin = admin.New(admin.Options{Token: adminToken, Secrets: edge.NewSecrets(zap.NewNop(), clock),
		Client: edge.Trust{}.Client, Cache: o.Cache, Site: o.Site, Metrics: telemetry.NewMetrics(""), Log: zap.NewNop()})
	l.learn()
	return l
}

// siteOf is the set-up that fits a mode.
func siteOf(mode sim.LanguageMode, url string) i18n.Languages {
	site := i18n.Languages{{Code: "en", Root: "/wp-json"}, {Code: "es", Root: "/es/wp-json"}}
	for i := range site {
		site[i].Select = i18n.ByPath
		site[i].Upstream = url + site[i].Root
		if mode == sim.Mixed || mode == sim.ByParameter {
			site[i].Select = i18n.ByParameter
			site[i].Upstream = url + "/wp-json"
		}
	}
	return site
}

// send sends a request to a handler, as an administrator or anonymously.
func (l *languageTest) send(h http.Handler, method, path, body string, admin bool) *httptest.ResponseRecorder {
	l.Helper()
	r := httptest.NewRequestWithContext(l.Context(), method, path, strings.NewReader(body))
	r.Header.Set("X-Request-Id", "languages")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if admin {
		r.SetBasicAuth(sim.Users[0].Name, sim.Users[0].Password)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const neutralAPI = "/wp-json/calendar/events/v1"

var roots = []string{"", "/es"}

// learn finds the items of any root.
func (l *languageTest) learn() {
	l.ids = map[string][]int{}
	for _, root := range roots {
		for _, list := range []string{"events?per_page=50", "venues?per_page=50", "organizers?per_page=50",
			"categories?per_page=50", "tags?per_page=50"} {
			resource, _, _ := strings.Cut(list, "?")
			var body map[string]json.RawMessage
			var items []struct{ ID int }
			w := l.send(l.direct, "GET", root+neutralAPI+"/"+list, "", false)
			if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
				l.Fatalf("%s: %v", list, err)
			}
			if err := json.Unmarshal(body[resource], &items); err != nil {
				l.Fatalf("%s: %v", list, err)
			}
			for _, item := range items {
				l.ids[resource] = append(l.ids[resource], item.ID)
			}
		}
	}
	for resource := range l.ids {
		slices.Sort(l.ids[resource])
		l.ids[resource] = slices.Compact(l.ids[resource])
	}
}

// noID is the id of nothing. The next id of a resource would not do: an item of another resource can
// get it, after which the site refuses to read it with another error.
const noID = 999_999

// sample are a few ids of a resource: the first and last of them, chance ones, and noID.
func (l *languageTest) sample(resource string) []int {
	ids := l.ids[resource]
	list := []int{ids[0], ids[len(ids)-1], noID}
	for range 3 {
		list = append(list, l.pick(resource))
	}
	return list
}

func (l *languageTest) pick(resource string) int {
	return l.ids[resource][l.random.IntN(len(l.ids[resource]))]
}

// occurrencesFrom begins the ids of the occurrences of series, which no event has.
const occurrencesFrom = 10_000_000

// series is the id of an event that repeats.
func (l *languageTest) series() int { return l.ids["events"][0] }

// withOccurrences has an occurrence of the series, which reads as the series under an id of its own.
// How the REST API of a site shows one was not recorded.
func (l *languageTest) withOccurrences(site http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.Path, fmt.Sprintf("/events/%d", occurrencesFrom/1000)) {
			site.ServeHTTP(w, r)
			return
		}
		series := fmt.Sprint(l.series())
		occurrence := fmt.Sprint(occurrencesFrom + l.series())
		r.URL.Path = strings.TrimSuffix(r.URL.Path, occurrence) + series
		rec := httptest.NewRecorder()
		site.ServeHTTP(rec, r)
		maps.Copy(w.Header(), rec.Header())
		w.WriteHeader(rec.Code)
		_, _ = io.WriteString(w, strings.Replace(rec.Body.String(), `"id":`+series+`,`, `"id":`+occurrence+`,`, 1))
	})
}

// reads are paths below a root that show a bit of everything.
func (l *languageTest) reads() []string {
	paths := map[string]bool{}
	add := func(format string, args ...any) { paths[fmt.Sprintf(format, args...)] = true }
	for _, list := range []string{
		"events", "events?page=2", "events?starts_after=2000-01-01&per_page=50", "events?search=edited", "venues", "venues?has_events=true",
		"organizers", "categories", "categories?hide_empty=false", "tags?per_page=50", "events/by-slug/made-here",
		"venues/by-slug/made-here",
	} {
		add("/%s", list)
	}
	for _, resource := range []string{"events", "venues", "organizers", "categories", "tags"} {
		for _, id := range l.sample(resource) {
			add("/%s/%d", resource, id)
		}
	}
	add("/events/%d", occurrencesFrom+l.series())
	add("/events?venue=%d", l.pick("venues"))
	add("/events?categories=%d", l.pick("categories"))
	add("/tags?post=%d", l.pick("events"))
	return slices.Sorted(maps.Keys(paths))
}

// carryOut makes a change: through the facade, or without it and then telling it as
// the plugin for WordPress does.
func (l *languageTest) carryOut(resource, root string, c change, inAdmin bool) string {
	l.Helper()
	done := fmt.Sprintf("%s %s%s %s in wp-admin: %t", c.method, root, c.path, c.body, inAdmin)
	handler := http.Handler(l.cached)
	if inAdmin {
		handler = l.direct
	}
	w := l.send(handler, c.method, root+neutralAPI+c.path, c.body, true)
	var item struct{ ID int }
	if w.Code >= 300 || json.Unmarshal(w.Body.Bytes(), &item) != nil {
		done += fmt.Sprintf(" (%d)", w.Code) // gone, or of another language
		return done
	}
	if inAdmin {
		kind := map[string]string{"categories": "category"}[resource]
		if kind == "" {
			kind = strings.TrimSuffix(resource, "s")
		}
		l.purge(fmt.Sprintf(`{"objects":[{"type":%q,"id":%d,"language":"es"}]}`, kind, item.ID))
	}
	return done
}

func (l *languageTest) purge(body string) {
	l.Helper()
	r := httptest.NewRequestWithContext(l.Context(), http.MethodPost, "/purge", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+adminToken)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	l.admin.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		l.Fatalf("%s: %d %s", body, w.Code, w.Body)
	}
}

// members returns the members of a JSON object, for a difference that can be read.
func members(w *httptest.ResponseRecorder) (m map[string]any) {
	if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
		return map[string]any{"body": w.Body.String()}
	}
	return m
}
