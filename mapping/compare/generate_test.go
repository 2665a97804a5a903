package compare_test

import (
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/calfacade/calfacade/mapping"
)

// sample is a neutral document and the endpoint that returns it.
type sample struct {
	name, endpoint string
	body           any
}

// samples are the examples of the documentation, and for every endpoint a document with all
// attributes of its shape.
func samples(t testing.TB) []sample {
	t.Helper()
	var out []sample
	for _, language := range []string{"en", "fr"} {
		data, err := os.ReadFile("../openapi/examples/" + language + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var byRow map[string]any
		if err := json.Unmarshal(data, &byRow); err != nil {
			t.Fatal(err)
		}
		for name, body := range byRow {
			out = append(out, sample{name: "example " + language + " " + name, endpoint: name, body: body})
		}
	}
	for _, e := range mapping.Table {
		if e.Result != nil && !e.Writes() && !e.BySlug {
			g := generator{}
			out = append(out, sample{
				name:     "generated " + e.Name(),
				endpoint: e.Name(),
				body:     g.object(e.Result),
			})
		}
	}
	return out
}

func encode(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// generator makes documents of shapes. All values of a document are different.
type generator struct{ n int }

func (g *generator) next() int {
	g.n++
	return g.n
}

func (g *generator) object(s *mapping.Shape) map[string]any {
	out := map[string]any{}
	if s == nil {
		return out
	}
	for i := range s.Attributes {
		out[s.Attributes[i].Name] = g.value(&s.Attributes[i])
	}
	if s.Rest != nil {
		out["rest"+strconv.Itoa(g.next())] = g.value(s.Rest)
	}
	return out
}

func (g *generator) objects(s *mapping.Shape) []any {
	return []any{g.object(s), g.object(s)}
}

func (g *generator) value(a *mapping.Attribute) any {
	text := func() any { return "text " + strconv.Itoa(g.next()) }
	switch a.Type {
	case mapping.Whole:
		return float64(g.next())
	case mapping.Digits:
		return strconv.Itoa(g.next())
	case mapping.DayTime:
		return "2026-01-02 10:00:" + strconv.Itoa(10+g.next()%50)
	case mapping.Bool:
		return g.next()%2 == 0
	case mapping.Strings:
		return []any{text(), text(), text()}
	case mapping.Single, mapping.SingleOrNone:
		return g.object(a.Shape)
	case mapping.Several, mapping.OneOrSeveral:
		return g.objects(a.Shape)
	case mapping.Named:
		return map[string]any{"one": g.object(a.Shape), "two": g.object(a.Shape)}
	case mapping.NamedLists:
		return map[string]any{"one": g.objects(a.Shape), "two": g.objects(a.Shape)}
	case mapping.Free:
		return map[string]any{"one": text(), "two": map[string]any{"three": nil, "four": []any{}}}
	}
	if a.Class == mapping.Object {
		return g.object(a.Shape)
	}
	return text()
}
