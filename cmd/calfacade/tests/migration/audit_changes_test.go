//go:build !race

package migration_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service/servicetest"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
)

// TestAuditFindsWhatComesAndGoes: an item is created or deleted at the site without a purge, in each language.
func TestAuditFindsWhatComesAndGoes(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	t.Parallel()
	a := newAuditTest(t, "")
	edited := config.Demo("https://editor.example.org", a.legacy.url)
	editor := processtest.Serve(t, http.HandlerFunc(servicetest.New(t, &edited).Public))
	send := func(method, url, body string) (int, []byte) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if method != http.MethodGet {
			r.SetBasicAuth(sim.Users[0].Name, sim.Users[0].Password)
		}
		res, got := processtest.Send(t, r)
		return res.StatusCode, got
	}
	roots := map[string]string{}
	for _, l := range a.config.Languages {
		roots[l.Code] = l.Root + "/calendar/events/v1"
	}
	deleted := map[string][]string{}
	for code, root := range roots {
		if status, body := send(http.MethodGet, a.public+root+"/venues/by-slug/hall-"+code, ""); status != http.StatusNotFound &&
			status != http.StatusBadRequest {
			t.Fatalf("%d %s", status, body)
		}
	}
	a.run("")
	if status, r, out := a.run("--json"); status != processtest.StatusOK || r.Audited < 100 {
		t.Fatalf("all is well: status %d, %s", status, out)
	}
	for code, root := range roots {
		for _, resource := range []string{"events", "organizers"} {
			var list map[string]json.RawMessage
			var items []struct {
				ID   int
				Slug string
			}
			_, body := send(http.MethodGet, a.public+root+"/"+resource, "")
			if json.Unmarshal(body, &list) != nil || json.Unmarshal(list[resource], &items) != nil || len(items) == 0 {
				t.Fatalf("%s", body)
			}
			item := items[0]
			if status, got := send(http.MethodDelete, fmt.Sprintf("%s%s/%s/%d", editor, root, resource, item.ID),
				""); status != http.StatusOK {
				t.Fatalf("%d %s", status, got)
			}
			deleted[code] = append(deleted[code], fmt.Sprintf("/%s/%d", resource, item.ID),
				fmt.Sprintf("/%s/by-slug/%s", resource, item.Slug), "/"+resource)
		}
		if status, got := send(http.MethodPost, editor+root+"/venues",
			`{"venue":"Hall `+code+`","slug":"hall-`+code+`","status":"publish"}`); status != http.StatusCreated {
			t.Fatalf("%d %s", status, got)
		}
	}
	status, r, out := a.run("--json")
	if status != processtest.StatusFail {
		t.Errorf("status %d", status)
	}
	seenIDs := map[string]bool{}
	for _, f := range r.Findings {
		call, _, _ := strings.Cut(f.Call, "?")
		seenIDs[f.Language+" "+call] = true
	}
	for _, code := range i18n.Codes {
		for _, call := range append(deleted[code], "/venues/by-slug/hall-"+code, "/venues") {
			if !seenIDs[code+" "+call] {
				t.Errorf("not found: %s %s", code, call)
			}
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}
