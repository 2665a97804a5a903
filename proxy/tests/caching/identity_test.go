package caching_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/legacyclients"
)

// TestNoClientSeesAnothersResponse sends random requests of several identities and without
// one, in the neutral names and the legacy's, with expiry, refreshes and purges in between, to a legacy that writes the identity
// into each response.
func TestNoClientSeesAnothersResponse(t *testing.T) {
	steps := 20_000
	if testing.Short() {
		steps = 5_000
	}
	legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		facadetest.Entitled(credentialsOf(r))(w, r)
	}))
	defer legacy.Close()
	var now atomic.Int64
	clock := func() time.Time { return facadetest.Start.Add(time.Duration(now.Load())) }
	c := cache.New(cache.Options{Clock: clock, Memory: 1 << 20})
	defer c.Close()
	facade := proxy.New(proxy.Options{
		Site:          i18n.Languages{{Code: "en", Upstream: legacy.URL}, {Code: "es", Root: "/es", Upstream: legacy.URL + "/es"}},
		Legacy:        proxy.BackendOptions{Dialect: mapping.API{LanguageParam: "wpml_language"}},
		LegacyClients: &legacyclients.Options{Names: mapping.API{Dialect: tribe.Dialect, LanguageParam: "wpml_language"}},
		Cookies:       true,
		Cache:         c,
		Freshness: freshness.Options{StaleWhileRevalidate: time.Minute, StaleIfError: time.Hour,
			TTL: map[string]time.Duration{freshness.Errors: time.Second}},
		Clock: clock,
	})
	var hits, stale atomic.Int64
	var wait sync.WaitGroup
	const workers = 4
	for worker := range workers {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(worker)))
			for range steps / workers {
				switch status := step(t, facade, c, &now, random); {
				case strings.Contains(status, "; detail=stale"):
					stale.Add(1)
				case strings.Contains(status, "; hit;"):
					hits.Add(1)
				}
			}
		})
	}
	wait.Wait()
	if hits.Load() == 0 || stale.Load() == 0 || c.Stats().Fetches == 0 {
		t.Errorf("the cache was not used: %d hits, %d stale, %+v", hits.Load(), stale.Load(), c.Stats())
	}
}

// credentialsOf returns the credentials in a call to the legacy, which name an identity.
func credentialsOf(r *http.Request) string {
	identity := r.Header.Get("Authorization") + r.Header.Get("Cookie") + r.URL.Query().Get("password")
	if identity == "" {
		return "nobody"
	}
	return identity
}

// identities are header fields and a query, and what the legacy then sees.
var identities = []struct{ header, value, query, identity string }{
	{identity: "nobody"},
	{identity: "nobody", header: "Cookie", value: "theme=dark"},
	{identity: "Basic YTph", header: "Authorization", value: "Basic YTph"},
	{identity: "Basic YjpC", header: "Authorization", value: "Basic YjpC"},
	{identity: "wordpress_logged_in_x=a", header: "Cookie", value: "theme=dark; wordpress_logged_in_x=a"},
	{identity: "wordpress_logged_in_x=b", header: "Cookie", value: "wordpress_logged_in_x=b"},
	{identity: "opensesame", query: "password=opensesame"},
}

// step makes a random request, and returns the Cache-Status of its response; "" if it did something else.
func step(t *testing.T, facade http.Handler, c *cache.Cache, now *atomic.Int64, random *rand.Rand) (cacheStatus string) {
	switch random.IntN(50) {
	case 0:
		now.Add(int64(time.Duration(random.IntN(40)) * time.Second))
		return ""
	case 1:
		c.Purge(t.Context(), cache.Purge{Tags: []string{"en:events"}, Soft: random.IntN(2) == 0})
		return ""
	}
	id := identities[random.IntN(len(identities))]
	path := randomRead(random)
	identity := id.identity
	if id.query != "" && !strings.HasPrefix(path, "/events/5") {
		identity = "nobody" // only events have passwords
	}
	root := []string{"", "/es"}[random.IntN(2)]
	namespace := []string{mapping.Namespace, tribe.Dialect.Namespace}[random.IntN(2)]
	r := httptest.NewRequestWithContext(t.Context(), []string{"GET", "GET", "GET", "HEAD"}[random.IntN(4)],
		root+"/"+namespace+path+"?"+id.query, nil)
	if id.header != "" {
		r.Header.Set(id.header, id.value)
	}
	w := httptest.NewRecorder()
	facade.ServeHTTP(w, r)
	body := w.Body.String()
	if want := fmt.Sprintf(`"title":%q`, identity); r.Method == "GET" && !strings.Contains(body, want) {
		t.Errorf("%s %s: %d %s, want %s", id.value, r.URL, w.Code, body, want)
	}
	if private := w.Header().Get("Cache-Control") == "private, no-store"; private != (identity != "nobody") {
		t.Errorf("%s %s: Cache-Control %s", id.value, r.URL, w.Header().Get("Cache-Control"))
	}
	return w.Header().Get("Cache-Status")
}

// randomRead is the path of a random read of the table.
func randomRead(random *rand.Rand) string {
	for {
		e := mapping.Table[random.IntN(len(mapping.Table))]
		if e.Action == mapping.List || e.Action == mapping.Read {
			return strings.NewReplacer("{id}", "5", "{slug}", "five").Replace(e.Path)
		}
	}
}
