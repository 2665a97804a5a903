package survey

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/crawl"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

// TestWarmSharedRoot: requests name a language that shares its root.
func TestWarmSharedRoot(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = append(asked, r.URL.RequestURI()) }))
	t.Cleanup(server.Close)
	facade := server.URL
	w := NewWarmer(WarmOptions{Concurrency: 1, MaxBody: 1 << 20, Roots: []rewrite.Root{
		{Language: "en", Public: facade}, {Language: "es", Public: facade}, {Language: "de", Public: facade + "/de"},
	}})
	list := mapping.SmallestList()
	item := &mapping.Call{Endpoint: crawl.Reads("events", "5", "")[0].Endpoint, Method: http.MethodGet, Item: "5"}
	for _, language := range []string{"en", "es", "de"} {
		for _, call := range []*mapping.Call{list, item} {
			if _, err := w.get(t.Context(), call, language); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []string{
		"/calendar/events/v1/events?per_page=1", "/calendar/events/v1/events/5",
		"/calendar/events/v1/events?per_page=1&i18n_language=es", "/calendar/events/v1/events/5?i18n_language=es",
		"/de/calendar/events/v1/events?per_page=1", "/de/calendar/events/v1/events/5",
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("(-want +requested):\n%s", diff)
	}
}
