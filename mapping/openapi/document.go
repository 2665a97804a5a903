package openapi

import (
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// Document is the documentation of the namespace below base in OpenAPI 3.1,
// made of the table and the texts and of nothing else.
//
// The schemas keep to what both validators and generators of clients read: one
// type or one type and null in "type", and oneOf where there are more.
func Document(base string, language string, catalog mapping.Texts) []byte {
	return encode(document{language: language, texts: catalog}.complete(base))
}

// document is the documentation in one language.
type document struct {
	language string
	texts    mapping.Texts
}

func (d document) complete(base string) members {
	return members{
		{"openapi", "3.1.0"},
		{"info", d.info()},
		{"servers", []any{members{{"url", base}}}},
		{"tags", d.tags()},
		{"paths", d.paths()},
		{"components", d.components()},
	}
}

func (d document) text(key string) string { return d.texts.Text(key, nil) }

func (d document) info() members {
	return members{
		{"title", d.text("document.title")},
		{"description", d.text("document.description") + "\n\n" + d.text("document.methods")},
		{"version", "1"},
		{"x-language", d.language},
	}
}

// general is the tag of the endpoints that have no resource.
const general = "general"

func tagOf(e *mapping.Endpoint) string {
	if e.Resource == "" {
		return general
	}
	return e.Resource
}

// tagNames lists the tags in the table's order.
func tagNames() []string {
	var names []string
	for i := range mapping.Table {
		if tag := tagOf(&mapping.Table[i]); !slices.Contains(names, tag) {
			names = append(names, tag)
		}
	}
	return names
}

func (d document) tags() []any {
	var tags []any
	for _, name := range tagNames() {
		tags = append(tags, members{{"name", name}, {"description", d.text("tag." + name)}})
	}
	return tags
}

func (d document) paths() members {
	paths := members{}
	for _, path := range mapping.Paths() {
		operations := members{}
		for _, e := range mapping.Rows(path) {
			for _, method := range e.Methods {
				operations = append(operations, member{strings.ToLower(method), d.operation(e, method)})
				if method == "GET" {
					operations = append(operations, member{"head", d.head(e)})
				}
			}
		}
		operations = append(operations, member{"options", d.options(mapping.Rows(path)[0])})
		if path == "" {
			path = "/"
		}
		paths = append(paths, member{path, operations})
	}
	return paths
}

// camel makes a component's name of dotted and underscored words.
func camel(s string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == '_' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

const componentPrefix = "#/components/"

func ref(kind, name string) members { return members{{"$ref", componentPrefix + kind + "/" + name}} }
