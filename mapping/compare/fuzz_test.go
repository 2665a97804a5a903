package compare_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/compare"
)

// FuzzDocuments: nothing panics; a document equals itself in another spelling, under all rules;
// the order of two documents does not matter; and without rules two documents are equal if and
// only if a JSON decoder reads equal values.
func FuzzDocuments(f *testing.F) {
	for _, s := range samples(f) {
		body := encode(f, s.body)
		if len(body) > 2000 {
			continue // short documents are changed faster
		}
		f.Add(body, strings.Replace(body, "1", "2", 1))
	}
	f.Add(`[{"id":1},{"id":1.0}]`, `[{"id":1},{"id":"1"},{}]`)
	f.Add(`{"a":[],"b":"2026-01-02 10:00:00"}`, `{"b":"2026-01-02T10:00:00Z","a":{}}`)
	f.Add(`["http://a.example/x/","a.example?id=1"]`, `["https://b.example:81/x","b.example:81?id=1"]`)
	f.Add(`[1e2,-0,0.10,1E-7]`, `[100,0,1e-1,0.0000001]`)
	f.Add("\xff", `"\ud800"`)
	strict := comparer(f, compare.Rules{})
	r := compare.Default()
	r.Hosts = []string{"a.example", "b.example:81"}
	loose := comparer(f, r)
	f.Fuzz(func(t *testing.T, first, second string) {
		a := ok(first)
		b := ok(second)
		for _, c := range []*compare.Comparer{strict, loose} {
			if d := c.Documents("events.list", a, respelled(a)); d != nil {
				t.Errorf("%s differs from itself: %v", first, d)
			}
			differences := c.Documents("events.list", a, b)
			back := c.Documents("events.list", b, a)
			if (differences == nil) != (back == nil) {
				t.Errorf("%s and %s: %v, but %v", first, second, differences, back)
			}
			if real, noise := twice(c, a, a, b); len(noise) != 0 || !reflect.DeepEqual(real, differences) {
				t.Errorf("a quiet reference has noise: %v", noise)
			}
			if real, _ := twice(c, a, b, b); len(real) != 0 {
				t.Errorf("the candidate is as the reference, but differs: %v", real)
			}
		}
		x, readable := decode(first)
		y, alsoReadable := decode(second)
		if !readable || !alsoReadable {
			return
		}
		if d := strict.Documents("events.list", a, b); (d == nil) != reflect.DeepEqual(x, y) {
			t.Errorf("%s and %s: %v", first, second, d)
		}
	})
}

// respelled returns a valid document with other white space and escapes.
func respelled(d compare.Document) compare.Document {
	v := jsontext.Value(d.Body).Clone()
	if v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false), jsontext.EscapeForHTML(true)) == nil {
		d.Body = v
	}
	return d
}

// decode returns the value of a document. It rejects numbers with more digits than most readers
// preserve, and documents that jsontext does not read.
func decode(s string) (any, bool) {
	if v := jsontext.Value(s); !v.IsValid() || strings.Count(s, "[")+strings.Count(s, "{") > 500 {
		return nil, false
	}
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil || longNumber(s) {
		return nil, false
	}
	return v, true
}

// longNumber reports whether s has numbers that a decoder with 53 bits may not distinguish.
func longNumber(s string) bool {
	digits := 0
	for _, c := range s {
		switch {
		case '0' <= c && c <= '9':
			digits++
			if digits > 15 {
				return true
			}
		case c == 'e' || c == 'E':
			return digits > 0
		case c != '.':
			digits = 0
		}
	}
	return false
}
