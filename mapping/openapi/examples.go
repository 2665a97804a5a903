package openapi

import (
	"embed"
	"encoding/json"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
)

// examples are responses of the demo, one file for each language, made by its test.
//
//go:embed examples/*.json
var examples embed.FS

// examplesOf are the examples in a language, by the name of the row that gave them.
var examplesOf = sync.OnceValue(func() map[string]map[string]jsontext.Value {
	all := map[string]map[string]jsontext.Value{}
	for _, language := range mapping.Language.Enum {
		data, err := examples.ReadFile("examples/" + language + ".json")
		if err != nil {
			panic("BUG: examples: " + err.Error())
		}
		var byRow map[string]json.RawMessage
		if err := json.Unmarshal(data, &byRow); err != nil {
			panic("BUG: examples: " + err.Error())
		}
		all[language] = map[string]jsontext.Value{}
		for name, value := range byRow {
			all[language][name] = jsontext.Value(value)
		}
	}
	return all
})

// exampleOf is an example of what e responds with; nil if it has none. What was
// written is answered as it is read, but what was deleted is not.
func exampleOf(language string, e *mapping.Endpoint) any {
	v, ok := examplesOf()[language][exampleName(e)]
	if !ok || e.Action == mapping.Delete {
		return nil
	}
	return v
}

func exampleName(e *mapping.Endpoint) string {
	if e.Action == mapping.List {
		return e.Name()
	}
	return e.Resource + "." + string(mapping.Read)
}

// requestExample is what would have made the example of the response: the fields that a
// create requires, of which an update has the first.
func requestExample(e *mapping.Endpoint, language string) any {
	var response map[string]json.RawMessage
	v, ok := examplesOf()[language][exampleName(e)]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(v, &response); err != nil {
		panic("BUG: examples: " + err.Error())
	}
	m := members{}
	for i := range e.Fields {
		if p := &e.Fields[i]; p.Required && (len(m) == 0 || e.Action == mapping.Create) {
			m = append(m, member{p.Name, jsontext.Value(response[p.Name])})
		}
	}
	return m
}
