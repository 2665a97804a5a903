package languages_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/google/go-cmp/cmp"
)

// change is a change that somebody makes to the site: a method, a path below a root, a body.
type change struct{ method, path, body string }

var changes = []struct {
	resource string
	make     func(l *languageTest, id int) change
}{
	{"events", func(l *languageTest, id int) change {
		return change{
			method: "PUT",
			path:   fmt.Sprintf("/events/%d", id),
			body:   fmt.Sprintf(`{"title":"edited %d"}`, l.random.IntN(1000)),
		}
	}},
	{"events", func(l *languageTest, id int) change {
		return change{
			method: "PUT",
			path:   fmt.Sprintf("/events/%d", id),
			body:   fmt.Sprintf(`{"title":"edited","venue":%d,"categories":[%d]}`, l.pick("venues"), l.pick("categories")),
		}
	}},
	{"events", func(l *languageTest, id int) change {
		return change{method: "DELETE", path: fmt.Sprintf("/events/%d", id), body: ""}
	}},
	{"events", func(l *languageTest, _ int) change {
		return change{
			method: "POST",
			path:   "/events",
			body: fmt.Sprintf(`{"title":"made here","start_date":"2026-12-01 10:00:00",`+
				`"end_date":"2026-12-01 11:00:00","venue":%d}`, l.pick("venues")),
		}
	}},
	{"venues", func(l *languageTest, id int) change {
		return change{
			method: "PUT",
			path:   fmt.Sprintf("/venues/%d", id),
			body:   fmt.Sprintf(`{"venue":"edited %d"}`, l.random.IntN(1000)),
		}
	}},
	{"venues", func(*languageTest, int) change {
		return change{method: "POST", path: "/venues", body: `{"venue":"made here"}`}
	}},
	{"organizers", func(l *languageTest, id int) change {
		return change{
			method: "PUT",
			path:   fmt.Sprintf("/organizers/%d", id),
			body:   fmt.Sprintf(`{"organizer":"edited %d"}`, l.random.IntN(1000)),
		}
	}},
	{"categories", func(l *languageTest, id int) change {
		return change{
			method: "PUT",
			path:   fmt.Sprintf("/categories/%d", id),
			body:   fmt.Sprintf(`{"name":"edited %d"}`, l.random.IntN(1000)),
		}
	}},
	{"categories", func(l *languageTest, _ int) change {
		return change{
			method: "POST",
			path:   "/categories",
			body:   fmt.Sprintf(`{"name":"made %d"}`, l.random.IntN(1000)),
		}
	}},
	{"tags", func(l *languageTest, id int) change {
		return change{method: "DELETE", path: fmt.Sprintf("/tags/%d", id), body: ""}
	}},
}

// TestNothingStaleInAnyLanguage: whatever is changed at a root, by the facade or in
// wp-admin, no answer of any root is older than that, however the site keeps its
// languages.
func TestNothingStaleInAnyLanguage(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	for _, mode := range append([]sim.LanguageMode{sim.Apart}, sim.LanguageModes...) {
		t.Run("mode "+string(mode), func(t *testing.T) {
			t.Parallel()
			l := newLanguageTest(t, mode, 1)
			for range 4 { // a series, by the facade and in wp-admin, at either root
				l.step("events", change{method: "PUT", path: fmt.Sprintf("/events/%d", l.series()),
					body: fmt.Sprintf(`{"title":"edited %d"}`, l.random.IntN(1000))})
			}
			for range 2 {
				for _, edit := range changes {
					l.step(edit.resource, edit.make(l, l.pick(edit.resource)))
				}
			}
		})
	}
}

// TestNewTranslation: with WPML, a new translation of a venue changes what showed the
// original. The purge names both.
func TestNewTranslation(t *testing.T) {
	l := newLanguageTest(t, sim.Fallback, 1)
	create := func(path, body string) int {
		w := l.send(l.cached, "POST", path, body, true)
		var item struct{ ID int }
		if err := json.Unmarshal(w.Body.Bytes(), &item); err != nil || w.Code != http.StatusCreated {
			l.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		return item.ID
	}
	original := create(neutralAPI+"/venues", `{"venue":"Town Hall Nine"}`)
	event := create("/es"+neutralAPI+"/events", fmt.Sprintf(`{"title":"e","start_date":"2026-12-01 10:00:00","end_date":"2026-12-01 `+
		`11:00:00","venue":%d}`, original))
	path := fmt.Sprintf("/es%s/events/%d", neutralAPI, event)
	if w := l.send(l.cached, "GET", path, "", false); !strings.Contains(w.Body.String(), "Town Hall Nine") {
		t.Fatalf("the event does not show the original: %s", w.Body)
	}
	translation := create("/es"+neutralAPI+"/venues", `{"venue":"Ayuntamiento Nueve"}`)
	l.site.Translate(translation, original)
	l.purge(fmt.Sprintf(`{"objects":[{"type":"venue","id":%d},{"type":"venue","id":%d}]}`, translation, original))
	if w := l.send(l.cached, "GET", path, "", false); !strings.Contains(w.Body.String(), "Ayuntamiento Nueve") {
		t.Errorf("the event shows the original still: %s", w.Body)
	}
}

// step reads, changes something, and looks for an answer from before.
func (l *languageTest) step(resource string, c change) {
	l.Helper()
	paths := l.reads()
	for _, root := range roots {
		for _, path := range paths {
			l.send(l.cached, "GET", root+neutralAPI+path, "", false)
		}
	}
	root := roots[l.random.IntN(len(roots))]
	inAdmin := l.random.IntN(2) == 0
	done := l.carryOut(resource, root, c, inAdmin)
	stale := 0
	for _, root := range roots {
		for _, path := range paths {
			path = root + neutralAPI + path
			got := l.send(l.cached, "GET", path, "", false)
			want := l.send(l.direct, "GET", path, "", false)
			if got.Code != want.Code || got.Body.String() != want.Body.String() {
				stale++
				l.Errorf("%s: GET %s is stale (%d, %d; -got +want):\n%s", done, path, got.Code, want.Code,
					cmp.Diff(members(got), members(want)))
			}
		}
	}
	if stale > 0 {
		l.FailNow()
	}
}
