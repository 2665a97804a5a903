package openapi

import (
	_ "embed" // for own.json
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// document is the documentation in one language.
type document struct {
	language   string
	texts      mapping.Texts
	forClients bool                      // in the form of [ClientDocument]
	extensions bool                      // with the parameters beyond the specification
	examples   map[string]jsontext.Value // of responses, by the name of the row
}

func (d document) text(key string) string { return d.texts.Text(key, nil) }

// extensionsOf returns the documented extensions of a row. All rows share their descriptions.
func (d document) extensionsOf(e *mapping.Endpoint) []*mapping.Param {
	if !d.extensions {
		return nil
	}
	return e.Extensions
}

// methods returns the documented methods of a row. For clients PUT stands for POST and PATCH, as the description of
// PUT says.
func (d document) methods(e *mapping.Endpoint) []string {
	if d.forClients && e.Action == mapping.Update {
		return []string{http.MethodPut}
	}
	return e.Methods
}

// operationName returns the name of a row, and another one for the index: generators write a file for each
// operation, and an index.ts of their own.
func operationName(e *mapping.Endpoint) string {
	if e.Action == mapping.Index {
		return "namespace"
	}
	return e.Name()
}

type (
	members = mapping.Members
	member  = mapping.Member
)

// camel makes a component's name of dotted and underscored words.
func camel(s string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == '_' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

func ref(kind, name string) members { return members{{"$ref", "#/components/" + kind + "/" + name}} }

// clientError is the component of the error response, for clients.
const clientError = "ErrorResult"

// ownParts are the parts of the document that do not depend on the table: how clients sign in, the header
// fields, the responses to OPTIONS, and further schemas, sorted. A
// string that begins with @ is the key of a text.
//
// The page for people sends an example of a header field with each request that is tried, so conditions have no
// examples.
//
//go:embed own.json
var ownParts []byte

// notForClients are the members of own parts that [ClientDocument] lacks.
var notForClients = []string{
	"Accept-Encoding", "Accept-Patch", "Accept-Post", "Problem", "ProblemParam", "Retry-After", "WWW-Authenticate", "cookie", "nonce",
}

func (d document) ownPart(part string) members {
	return slices.DeleteFunc(d.read(jsonscan.Get(ownParts, part)).(members), func(m member) bool {
		return d.forClients && slices.Contains(notForClients, m.Name)
	})
}

// read returns a value of own parts, with texts for their keys.
func (d document) read(v jsontext.Value) any {
	switch v.Kind() {
	case '{':
		object := members{}
		for name, value := range jsonscan.Each(v) {
			object = append(object, member{Name: name, Value: d.read(value)})
		}
		return object
	case '[':
		list := []any{}
		for _, item := range jsonscan.AsList(v) {
			list = append(list, d.read(item))
		}
		return list
	case '"':
		text := jsonscan.Text(v)
		if key, ok := strings.CutPrefix(text, "@"); ok {
			return d.text(key)
		}
		return text
	case 't', 'f':
		return v.Kind() == 't'
	}
	return v
}
