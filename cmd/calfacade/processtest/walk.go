package processtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
	"github.com/calfacade/calfacade/mapping/openapi"
)

// WalkOver walks at the facade of a configuration before the site at legacy.
func WalkOver(t *testing.T, cfg config.Config, legacy string) {
	var want []string
	for _, e := range mapping.Table {
		for _, method := range e.Methods {
			want = append(want, method+" "+e.Path)
		}
	}
	promised, err := mappingtest.LoadContract(openapi.Document("/", "en", i18n.Catalog("en")), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range Walked(cfg) {
		t.Run(language.Code, func(t *testing.T) {
			w := &walk{T: t, contract: promised, legacy: legacy, language: language.Code, base: cfg.PublicURL + language.Root +
				"/" + mapping.Namespace}
			for _, e := range mapping.Table {
				w.row(e)
			}
			if diff := cmp.Diff(want, w.requests); diff != "" {
				t.Errorf("walked (-table +walk):\n%s", diff)
			}
		})
	}
}

// Walked are the languages of a walk: one that is not the default will do where each
// call takes long.
func Walked(cfg config.Config) []i18n.Language {
	if testing.Short() {
		return cfg.Languages[1:2]
	}
	return cfg.Languages
}

// walk is one pass through the table in one language.
type walk struct {
	*testing.T
	legacy, language, base string
	contract               *mappingtest.Contract

	item     item     // that rows of one item are about
	names    int      // used so far
	requests []string // method and path of each answer that was good
}

// item has the members of an answer that the walk reads.
type item struct {
	ID     int
	Slug   string
	Status string // of an item with a status
}

// row requests all methods of a row. The table has the rows of an item in the
// order read, update, delete, so an item made for the read serves them all.
func (w *walk) row(e *mapping.Endpoint) {
	for _, method := range e.Methods {
		switch e.Action {
		case mapping.Create:
			w.create(e, e)
		case mapping.Read:
			created := w.create(Create(e.Resource), nil)
			w.item = w.ask(e, method, w.path(e, created), nil)
			w.expect(created)
		case mapping.Update:
			w.update(e, method)
		case mapping.Delete:
			deleted := w.ask(e, method, w.path(e, w.item), nil)
			w.expect(deleted)
			if posts := deleted.Status != ""; posts && deleted.Status != "trash" {
				w.Errorf("%s %s: status %q after it was deleted", method, e.Path, deleted.Status)
			}
		default:
			w.ask(e, method, e.Path, nil)
		}
	}
}

// create makes a new item; the answer counts for row, which may be nil.
func (w *walk) create(e, row *mapping.Endpoint) item {
	fields := map[string]string{}
	for _, p := range e.Fields {
		switch {
		case p.Required:
			fields[p.Name] = w.value(p)
		case p.Name == "status":
			fields[p.Name] = "publish"
		}
	}
	return w.ask(row, http.MethodPost, e.Path, fields)
}

// update returns the item a new name and expects it in the answer.
func (w *walk) update(e *mapping.Endpoint, method string) {
	name := NameField(Create(e.Resource))
	fields := map[string]string{name: w.value(&mapping.Param{})}
	old := w.item
	body := w.answer(e, method, w.path(e, w.item), fields)
	w.expect(old)
	var got map[string]any
	if err := json.Unmarshal(body, &got); err != nil || got[name] != fields[name] {
		w.Errorf("%s %s: %s is %v, want %s", method, e.Path, name, got[name], fields[name])
	}
}

// value makes up a value: a date, or a name that nothing else has.
func (w *walk) value(p *mapping.Param) string {
	if p.Kind == mapping.DateTime {
		return "2031-05-01 10:00:00" // not every backend reads a date that depends on the day
	}
	w.names++
	return fmt.Sprintf("Walk %d %s", w.names, w.language)
}

func (w *walk) expect(want item) {
	w.Helper()
	if w.item.ID != want.ID || want.ID == 0 {
		w.Errorf("got item %d, want %d", w.item.ID, want.ID)
	}
}

func (w *walk) path(e *mapping.Endpoint, i item) string {
	return strings.NewReplacer("{id}", fmt.Sprint(i.ID), "{slug}", url.PathEscape(i.Slug)).Replace(e.Path)
}

// Create returns the row that makes items of a resource, and nameField its field
// that names them.
func Create(resource string) *mapping.Endpoint {
	i := slices.IndexFunc(mapping.Table, func(e *mapping.Endpoint) bool {
		return e.Resource == resource && e.Action == mapping.Create
	})
	return mapping.Table[i]
}

// NameField returns the field of a row that names an item.
func NameField(e *mapping.Endpoint) string {
	i := slices.IndexFunc(e.Fields, func(p *mapping.Param) bool { return p.Required })
	return e.Fields[i].Name
}

func (w *walk) ask(e *mapping.Endpoint, method, path string, fields map[string]string) item {
	w.Helper()
	var got item
	if err := json.Unmarshal(w.answer(e, method, path, fields), &got); err != nil {
		w.Fatalf("%s %s: %v", method, path, err)
	}
	return got
}

// answer sends one request, as a user with all rights, and returns the body of
// the answer. One that is bad ends the walk: the rest would follow from it.
func (w *walk) answer(e *mapping.Endpoint, method, path string, fields map[string]string) []byte {
	w.Helper()
	var body io.Reader
	if fields != nil {
		data, err := json.Marshal(fields)
		if err != nil {
			w.Fatal(err)
		}
		body = strings.NewReader(string(data))
	}
	r, err := http.NewRequestWithContext(w.Context(), method, w.base+path, body)
	if err != nil {
		w.Fatal(err)
	}
	r.SetBasicAuth(sim.Users[0].Name, sim.Users[0].Password)
	if fields != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	res, got := Send(w.T, r)
	if res.StatusCode < 200 || res.StatusCode > 299 {
		w.Fatalf("%s %s: status %d: %s", method, path, res.StatusCode, got)
	}
	if language := res.Header.Get("Content-Language"); language != w.language {
		w.Errorf("%s %s: Content-Language %q, want %q", method, path, language, w.language)
	}
	CheckLeaks(w.T, res.Header, got, w.legacy)
	if err := w.contract.Check(method, mappingtest.TablePath(r.URL.EscapedPath()), res, got); err != nil {
		w.Errorf("contract: %s %s: %v", method, path, err)
	}
	if e != nil {
		w.requests = append(w.requests, method+" "+e.Path)
	}
	return got
}

// NewItems are the smallest items of each resource, named NAME.
var NewItems = map[string]string{
	"events":     `{"title":"NAME","status":"publish","start_date":"2027-03-01 18:00:00","end_date":"2027-03-02 20:00:00"}`,
	"venues":     `{"venue":"NAME","status":"publish"}`,
	"organizers": `{"organizer":"NAME","status":"publish"}`,
	"categories": `{"name":"NAME"}`,
	"tags":       `{"name":"NAME"}`,
}

// SiteCall is a call on a site and its outcome.
type SiteCall struct {
	Source string // where it was made: a recording, a scenario, a command
	Method string
	Target string // path and query
	Header http.Header
	Body   []byte
	Status int
	Answer []byte
}

var (
	RestPart  = regexp.MustCompile(`(?i)/(wp-json|api)(/|$)`) // one scenario has the root /api
	IDSegment = regexp.MustCompile(`^\d+$`)
)
