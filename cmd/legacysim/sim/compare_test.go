package sim

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calfacade/calfacade/mapping/recordedtest"
)

// shapeOf returns JSON without its values: kinds of a value, and
// members by name. All items of a list make up one shape.
type shapeOf struct {
	Kinds   []string
	Members map[string]*shapeOf
}

func shape(v any) *shapeOf {
	s := &shapeOf{}
	s.add(v)
	return s
}

func (s *shapeOf) add(v any) {
	kind := "null"
	switch v := v.(type) {
	case bool:
		kind = "boolean"
	case float64:
		kind = "number"
	case string:
		kind = "string"
	case []any:
		kind = "list"
		for _, item := range v {
			s.member("[]").add(item)
		}
	case map[string]any:
		kind = "object"
		for name, item := range v {
			s.member(name).add(item)
		}
	}
	if !slices.Contains(s.Kinds, kind) {
		s.Kinds = append(s.Kinds, kind)
	}
	slices.Sort(s.Kinds)
}

func (s *shapeOf) member(name string) *shapeOf {
	if s.Members == nil {
		s.Members = map[string]*shapeOf{}
	}
	if s.Members[name] == nil {
		s.Members[name] = &shapeOf{}
	}
	return s.Members[name]
}

// contentKeys are left out by what a thing happens to hold: where only one of
// two has them, or has items in a list, that says nothing about the shape.
var contentKeys = []string{
	"[]", "excerpt", "description", "image", "up", "next_rest_url", "previous_rest_url",
	"address", "city", "country", "province", "state", "zip", "phone", "website", "email",
	"streetAddress", "addressLocality", "addressRegion", "postalCode", "addressCountry",
	"medium", "large", "medium_large", "thumbnail",
	"offers", "location", "organizer",
}

// flexible are those that have several kinds; in a list it depends on the
// items which, and whether a slug is there on whether there are drafts.
var flexible = []string{
	"image", "venue", "slug", "all_day", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "values", "protected",
	"multiday", "duration",
}

// abridged are parts of the descriptions of an API that the stand-in has only in
// short.
var abridged = []string{"schemas", "args", "paths"}

// abridge takes out of a shape what the stand-in has only in short.
func abridge(s *shapeOf, abridged []string) {
	for name, below := range s.Members {
		if slices.Contains(abridged, name) {
			delete(s.Members, name)
			continue
		}
		abridge(below, abridged)
	}
}

// align takes out of both shapes what may differ.
func align(a, b *shapeOf, isList bool) {
	for name := range merged(a.Members, b.Members) {
		inA, inB := a.Members[name], b.Members[name]
		loose := isList && slices.Contains(flexible, name)
		switch {
		case inA != nil && inB != nil && loose:
			inA.Kinds, inB.Kinds = nil, nil
			align(inA, inB, isList)
		case inA != nil && inB != nil:
			align(inA, inB, isList)
		case loose, slices.Contains(contentKeys, name):
			delete(a.Members, name)
			delete(b.Members, name)
		}
	}
	// A venue that is an object here and a list there has nothing in common.
	if a.Kinds == nil && (len(a.Members) == 0 || len(b.Members) == 0 || (a.Members["[]"] == nil) != (b.Members["[]"] == nil)) {
		a.Members, b.Members = nil, nil
	}
}

func merged[V any](a, b map[string]V) map[string]V {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]V{}
	}
	maps.Copy(out, b)
	return out
}

func compareShape(t *testing.T, x exchange, body any) {
	t.Helper()
	object, _ := x.Response.Body.(map[string]any)
	want := shape(x.Response.Body)
	got := shape(body)
	abridge(want, abridged)
	abridge(got, abridged)
	_, isList := x.Response.Body.([]any)
	align(want, got, isList || object["total"] != nil || object["body"] != nil)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("shape (-want +got):\n%s", diff)
	}
}

// linkKeys are the links of a list: their query follows from the request.
var linkKeys = []string{"rest_url", "next_rest_url", "previous_rest_url"}

func compareValues(t *testing.T, tr *translation, x exchange, got any) {
	t.Helper()
	want, _ := x.Response.Body.(map[string]any)
	have, _ := got.(map[string]any)
	switch {
	case want["code"] == "term_exists":
		return // its numbers are ids
	case want["code"] == "internal_server_error":
		compareValue(t, "code", want["code"], have["code"]) // the rest speaks of PHP
	case want["code"] != nil && x.part == 2 && !strings.Contains(x.file, "/en/"):
		compareValue(t, "code", want["code"], have["code"]) // that site had no language packs
	case want["code"] != nil:
		want["message"] = tr.message(want["message"].(string))
		if diff := cmp.Diff(any(want), recordedtest.WithMarks(want, have)); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
	case want["total"] != nil:
		compareLinks(t, tr, want, have)
		compareIncluded(t, tr, x, have)
	case x.Request.Method != "GET" && x.Request.Method != "HEAD":
		tr.learn(x, got)
		compareItem(t, tr, x, got)
	}
}

func compareValue(t *testing.T, key string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", key, diff)
	}
}

// compareLinks leaves out the links that only one of the two has: that is a
// matter of how much there is.
func compareLinks(t *testing.T, tr *translation, want, got map[string]any) {
	t.Helper()
	for _, key := range linkKeys {
		w, okWant := want[key].(string)
		g, okGot := got[key].(string)
		if okWant && okGot {
			compareValue(t, key, tr.url(strings.ReplaceAll(w, "%2C", ",")), strings.ReplaceAll(g, "%2C", ","))
		}
	}
}

// compareIncluded compares the items of a list whose items the request names.
func compareIncluded(t *testing.T, tr *translation, x exchange, got map[string]any) {
	t.Helper()
	want, _ := x.Response.Body.(map[string]any)
	if strings.Contains(x.Request.Path, "include=") && x.resource() == "events" {
		compareValue(t, "events", tr.ownIDs("include", want["events"]), idsOf(got["events"]))
	}
}

// compareOrder compares the order of the members that both bodies have, where
// the recording has kept it.
func compareOrder(t *testing.T, x exchange, got string) {
	t.Helper()
	if x.Response.BodyRaw == "" || strings.HasPrefix(x.Response.BodyRaw, "/") {
		return
	}
	want := memberOrder(t, x.Response.BodyRaw)
	have := memberOrder(t, got)
	for path := range want {
		// In descriptions, the order changes from argument to argument: that
		// is not imitated.
		if len(want[path]) == 0 || len(have[path]) == 0 || strings.Contains(path, ".args.") || strings.HasSuffix(path, ".properties") {
			continue
		}
		both := func(in, other []string) []string {
			return slices.DeleteFunc(slices.Clone(in), func(s string) bool { return !slices.Contains(other, s) })
		}
		if diff := cmp.Diff(both(want[path], have[path]), both(have[path], want[path])); diff != "" {
			t.Errorf("order of %s (-want +got):\n%s", path, diff)
		}
	}
}

// memberOrder are the names of the first object at each path.
func memberOrder(t *testing.T, body string) map[string][]string {
	t.Helper()
	order := map[string][]string{}
	dec := json.NewDecoder(strings.NewReader(body))
	token := func() json.Token {
		tok, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		return tok
	}
	var walk func(path string)
	walk = func(path string) {
		delim, ok := token().(json.Delim)
		if !ok {
			return
		}
		var names []string
		for dec.More() {
			below := path + "[]"
			if delim == '{' {
				name := token().(string)
				names = append(names, name)
				below = path + "." + name
			}
			walk(below)
		}
		token()
		if _, seen := order[path]; !seen {
			order[path] = names
		}
	}
	walk("")
	return order
}

// TestShape guards the comparison itself: it must see a missing member.
func TestShape(t *testing.T) {
	differ := func(a, b any) bool {
		x := shape(a)
		y := shape(b)
		align(x, y, false)
		return !cmp.Equal(x, y, cmpopts.EquateEmpty())
	}
	full := map[string]any{"items": []any{map[string]any{"id": 1.0, "name": "x"}}}
	if !differ(full, map[string]any{"items": []any{map[string]any{"id": 1.0}}}) {
		t.Error("a missing member went unseen")
	}
	if !differ(full, map[string]any{"items": []any{map[string]any{"id": 1.0, "name": false}}}) {
		t.Error("another kind went unseen")
	}
	if differ(full, map[string]any{"items": []any{}}) {
		t.Error("an empty list is no other shape")
	}
}
