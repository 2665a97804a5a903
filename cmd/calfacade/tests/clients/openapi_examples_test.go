package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
)

//go:generate go test -run ^TestExamples$ -update .

// TestExamples holds the examples of the documentation to the answers of the
// demo, as it is on one day.
func TestExamples(t *testing.T) {
	clock := func() time.Time { return time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC) }
	legacy := processtest.Serve(t, sim.New(sim.Options{Clock: clock, Site: "https://calendar.example.org"}))
	cfg := config.Demo("https://api.example.org", legacy)
	cfg.Languages[0].Aliases = []string{"https://calendar.example.org"}
	options := service.FacadeOptions(cfg, zap.NewNop())
	options.Clock = clock
	facade := proxy.New(options)
	for _, l := range cfg.Languages {
		got := examples(t, facade, legacy, l.Root+"/"+mapping.Namespace)
		file := processtest.Repository + "/mapping/openapi/examples/" + l.Code + ".json"
		if *processtest.Update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(processtest.ReadFile(t, file), string(got)); diff != "" {
			t.Errorf("%s differs from the demo; run go generate (-file +demo):\n%s", file, diff)
		}
	}
}

// examples are the first item of each list, in the list and alone, by the names
// of the rows that give them.
func examples(t *testing.T, facade http.Handler, legacy, base string) []byte {
	values := map[string]any{}
	ask := func(path string) map[string]any { return readExample(t, facade, legacy, base+path) }
	venue := firstID(firstPage(t, ask, "/venues?per_page=1&only_with_upcoming=true", "venues"), "venues")
	filter := map[string]string{"events": fmt.Sprint("&venue=", venue)} // one that shows the items that are linked
	var resource string
	var first int
	for _, e := range mapping.Table {
		switch {
		case e.Action == mapping.List:
			list := firstPage(t, ask, e.Path+"?per_page=1"+filter[e.Resource], e.Resource)
			resource = e.Resource
			first = firstID(list, e.Resource)
			values[e.Name()] = list
		case e.Action == mapping.Read && e.Resource == resource && !e.BySlug:
			path := strings.ReplaceAll(e.Path, "{id}", fmt.Sprint(first))
			values[e.Name()] = ask(path)
		}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(values); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// firstPage is the first page of one item that no password hides.
func firstPage(t *testing.T, ask func(string) map[string]any, path, resource string) map[string]any {
	for page := 1; page < 10; page++ {
		list := ask(fmt.Sprint(path, "&page=", page))
		items := list[resource].([]any)
		if len(items) == 0 {
			break
		}
		item := items[0].(map[string]any)
		if _, hidden := item[processtest.NameField(processtest.Create(resource))].([]any); !hidden {
			return list
		}
	}
	t.Fatal("all are hidden: ", path)
	return nil
}

func firstID(list map[string]any, resource string) int {
	return int(list[resource].([]any)[0].(map[string]any)["id"].(float64))
}

func readExample(t *testing.T, facade http.Handler, legacy, target string) map[string]any {
	w := httptest.NewRecorder()
	facade.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	body, err := io.ReadAll(w.Body)
	if err != nil || w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s %v", target, w.Code, body, err)
	}
	processtest.CheckLeaks(t, w.Header(), body, legacy)
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
