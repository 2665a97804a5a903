package dialects_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tribe"
)

// TestConditionalWrites: the ETag that a client got from GET is good for one change, whatever the
// path, the method and the dialect of the site that receives it; the 412 of the next one has
// the ETag that GET has then.
func TestConditionalWrites(t *testing.T) {
	site := sim.New(sim.Options{Clock: processtest.Noon})
	for name, s := range map[string]side{
		"legacy":  facadeOver(t, site, mapping.API{Dialect: tribe.Dialect}),
		"neutral": facadeOver(t, site.Neutral(), mapping.API{Dialect: mapping.Neutral}),
	} {
		for _, e := range mapping.Table {
			if e.Action != mapping.Update {
				continue
			}
			for _, method := range e.Methods {
				t.Run(name+" "+method+" "+e.Path, func(t *testing.T) {
					s.conditional(t, e, method, strings.ToLower(fmt.Sprint(name, method, e.BySlug)))
				})
			}
		}
	}
}

// conditional creates an item that no other test has, changes it and deletes it.
func (s side) conditional(t *testing.T, e *mapping.Endpoint, method, name string) {
	base := "/es/wp-json/" + mapping.Namespace + "/" + e.Resource
	named := func(suffix string) string {
		return strings.ReplaceAll(processtest.NewItems[e.Resource], "NAME", name+suffix)
	}
	res, body := s.ask(t, http.MethodPost, base, named(""))
	var created struct {
		ID   int
		Slug string
	}
	if err := json.Unmarshal(body, &created); err != nil || res.StatusCode != http.StatusCreated {
		t.Fatalf("create: %d %s", res.StatusCode, body)
	}
	path := fmt.Sprintf("%s/%d", base, created.ID)
	if e.BySlug {
		path = base + "/by-slug/" + created.Slug
	}
	first := s.tag(t, path)
	want := func(method, body, tag string, status int) {
		t.Helper()
		res, answer := s.ask(t, method, path, body, "If-Match: "+tag)
		if res.StatusCode != status {
			t.Errorf("%s with %s: %d, want %d: %s", method, tag, res.StatusCode, status, answer)
		}
		got := res.Header.Get("ETag")
		if status == http.StatusPreconditionFailed && got != s.tag(t, path) {
			t.Errorf("%s: 412 with %s, but GET has %s", method, got, s.tag(t, path))
		}
	}
	want(method, named(" one"), first, http.StatusOK)
	want(method, named(" two"), first, http.StatusPreconditionFailed)
	want(http.MethodDelete, "", first, http.StatusPreconditionFailed)
	want(http.MethodDelete, "", `"0", `+s.tag(t, path), http.StatusOK)
}

// tag is the validator of GET for a user with all rights.
func (s side) tag(t *testing.T, path string) string {
	t.Helper()
	res, body := s.ask(t, http.MethodGet, path, "")
	tag := res.Header.Get("ETag")
	if res.StatusCode != http.StatusOK || tag == "" {
		t.Fatalf("GET %s: %d, ETag %q: %s", path, res.StatusCode, tag, body)
	}
	return tag
}
