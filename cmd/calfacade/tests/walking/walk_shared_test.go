package walking_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
)

// TestWalkSharedRoot follows the links of Spanish lists, from the first page to the
// last, and of each item that they show, where Spanish shares its root with English,
// here and at the site: all of it stays Spanish.
func TestWalkSharedRoot(t *testing.T) {
	site := sim.New(sim.Options{})
	server := httptest.NewUnstartedServer(nil)
	legacy := processtest.Serve(t, oneRoot(site))
	cfg := config.Demo("http://"+server.Listener.Addr().String(), legacy)
	cfg.Languages = cfg.Languages[:2]
	for i := range cfg.Languages {
		l := &cfg.Languages[i]
		l.Root = "/wp-json"
		l.Upstream = legacy + "/wp-json"
		l.Select = i18n.ByParameter
	}
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = proxy.New(service.FacadeOptions(cfg, zap.NewNop()))
	server.Start()
	t.Cleanup(server.Close)

	direct := legacy + "/wp-json/tribe/events/v1"
	for _, resource := range mapping.Resources() {
		want := itemsOf(t, readBody(t, direct+"/"+resource+"?per_page=50&wpml_language=es", legacy), resource)
		var got []string
		pages := 0
		next := cfg.PublicURL + "/wp-json/" + mapping.Namespace + "/" + resource + "?i18n_language=es&per_page=2"
		for next != "" {
			page := readSpanish(t, next, legacy)
			got = append(got, itemsOf(t, page, resource)...)
			next, _ = page["next_rest_url"].(string)
			pages++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-at the site +walked):\n%s", resource, diff)
		}
		if pages < 3 {
			t.Errorf("%s: only %d pages", resource, pages)
		}
	}
}

// oneRoot is a site with one REST root: a parameter alone selects the language.
// Its links name no language.
func oneRoot(site http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("wpml_language") == "es" {
			r.URL.Path = "/es" + r.URL.Path
		}
		answer := httptest.NewRecorder()
		site.ServeHTTP(answer, r)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(bytes.ReplaceAll(answer.Body.Bytes(), []byte(`\/es\/wp-json\/`), []byte(`\/wp-json\/`)))
	})
}

// readSpanish reads a page of a list, and each of its items by the item's own link.
func readSpanish(t *testing.T, target, legacy string) map[string]any {
	t.Helper()
	page := readBody(t, target, legacy)
	for _, items := range page {
		items, _ := items.([]any)
		for _, item := range items {
			item := item.(map[string]any)
			link, _ := item["rest_url"].(string)
			if urls, ok := item["urls"].(map[string]any); ok {
				link = urls["self"].(string)
			}
			if link == "" {
				continue // venues and organizers have no terms
			}
			got := readBody(t, link, legacy)
			if got["id"] != item["id"] && got["code"] != "event-password-protected" {
				t.Errorf("%s is %v, want item %v", link, got, item["id"])
			}
		}
	}
	return page
}

// readBody reads an object. One of a facade before legacy must be Spanish.
func readBody(t *testing.T, target, legacy string) map[string]any {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, body := processtest.Send(t, r)
	if !strings.HasPrefix(target, legacy) {
		processtest.CheckLeaks(t, res.Header, body, legacy)
		if language := res.Header.Get("Content-Language"); language != "es" {
			t.Errorf("%s: Content-Language %q", target, language)
		}
	}
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(target, err)
	}
	return v
}

func itemsOf(t *testing.T, page map[string]any, resource string) []string {
	t.Helper()
	var ids []string
	items, _ := page[resource].([]any)
	for _, item := range items {
		ids = append(ids, fmt.Sprint(item.(map[string]any)["id"]))
	}
	if len(ids) == 0 || slices.Contains(ids, "<nil>") {
		t.Fatalf("no %s: %v", resource, page)
	}
	return ids
}
