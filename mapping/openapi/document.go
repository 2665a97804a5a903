package openapi

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/calfacade/calfacade/mapping"
)

// Document is the documentation of the namespace below base in OpenAPI 3.1,
// made of the table and the texts and of nothing else.
//
// The schemas keep to the syntax that both validators and generators of clients read: one
// type or one type and null in "type", and oneOf where there are more.
func Document(base string, language string, catalog mapping.Texts) []byte {
	return mapping.EncodeJSON(Model(base, language, catalog, Form{}))
}

// ClientDocument is the documentation for generators of clients. It promises nothing beyond
// [Document] but the extensions, and has only the parts that make the best generated code:
//
//   - Of HEAD, OPTIONS and three methods that mean the same, one operation remains: PUT.
//   - Bodies are JSON. With several media types, generators compare the type of a response
//     with each, and their comparison fails for one with a charset.
//   - Each operation has one success and one error, which generators give one type. A 304
//     has no header fields: the client has them from the stored response.
//   - Bodies have no defaults: generators make fields with a default required, or send the default.
//   - The one way to sign in is the way of programs. Generators send the credentials in all
//     ways that an operation names.
//   - Components without a reference are missing.
func ClientDocument(base string, language string, catalog mapping.Texts, extensions bool) []byte {
	return mapping.EncodeJSON(Model(base, language, catalog, Form{Clients: true, Extensions: extensions}))
}

// Form is the form of a document. The zero Form is the specification, for people.
type Form struct {
	Clients    bool // for generators of clients, see [ClientDocument]
	Extensions bool // with the parameters beyond the specification
}

// Model returns the document in a form, which [Document] and [ClientDocument] encode. Objects are [mapping.Members]; lists are
// []any if they have schemas or names; an example of a response is a [jsontext.Value].
func Model(base, language string, catalog mapping.Texts, form Form) mapping.Members {
	d := document{language: language, texts: catalog, forClients: form.Clients, extensions: form.Extensions}
	data, err := examples.ReadFile("examples/" + language + ".json")
	if err == nil {
		err = json.Unmarshal(data, &d.examples)
	}
	if err != nil {
		panic("BUG: examples: " + err.Error())
	}
	var tags []members
	for _, tag := range slices.Concat([]string{general}, mapping.Resources()) {
		tags = append(tags, members{{"name", tag}, {"description", d.text("tag." + tag)}})
	}
	return members{
		{"openapi", "3.1.0"},
		{"info", members{
			{"title", d.text("document.title")},
			{"description", d.text("document.description") + "\n\n" + d.text("document.methods")},
			{"version", "1"},
			{"x-language", d.language},
		}},
		{"servers", []any{members{{"url", base}}}},
		{"tags", tags},
		{"paths", d.paths()},
		{"components", d.components()},
	}
}

func (d document) paths() members {
	paths := members{}
	for _, path := range mapping.Paths() {
		operations := members{}
		rows := mapping.Rows(path)
		for _, e := range rows {
			for _, method := range d.methods(e) {
				operations = append(operations, member{
					Name:  strings.ToLower(method),
					Value: d.operation(e, method),
				})
				operations = operations.With(method == http.MethodGet && !d.forClients, "head", d.head(e))
			}
		}
		operations = operations.With(!d.forClients, "options", d.options(rows[0]))
		paths = append(paths, member{Name: cmp.Or(path, "/"), Value: operations})
	}
	return paths
}

func (d document) components() members {
	return members{
		{"securitySchemes", d.ownPart("securitySchemes")},
		{"parameters", d.parameters()},
		{"headers", d.ownPart("headers")},
		{"responses", append(each(func(e *mapping.Endpoint) (string, any) { return resultName(e), d.success(e) }), d.failureResponses()...)},
		{"schemas", d.schemas()},
		{"examples", each(func(e *mapping.Endpoint) (string, any) {
			v := d.exampleOf(e)
			if v != nil && e.Name() == exampleName(e) {
				return e.Name(), members{{"value", v}}
			}
			return "", nil
		})},
	}
}

// each returns members that are made of rows of the table, one of each name; the name "" skips a row.
func each(memberOf func(e *mapping.Endpoint) (name string, value any)) members {
	list := members{}
	for _, e := range mapping.Table {
		name, value := memberOf(e)
		if name != "" && list.Get(name) == nil {
			list = append(list, member{Name: name, Value: value})
		}
	}
	return list
}

// parameters returns the components of the parameters in path, query and header.
func (d document) parameters() members {
	components := d.ownPart("requestFields")
	if d.extensions {
		components = append(components, d.ownPart("extensionFields")...)
	}
	for _, e := range mapping.Table {
		for _, p := range e.Args {
			key := paramKey(e, p)
			if p.In != mapping.InBody && components.Get(key) == nil {
				components = append(components, member{Name: key, Value: d.parameter(e, p)})
			}
		}
		for _, p := range d.extensionsOf(e) {
			if components.Get(p.Text) == nil {
				components = append(components, member{Name: p.Text, Value: d.parameter(e, p).With(true, "x-extension", true)})
			}
		}
	}
	return components
}

func (d document) failureResponses() members {
	responses := members{}
	fallback := d.failed(d.text("document.error"), 0)
	var codes []string
	for _, f := range d.failures() {
		responses = append(responses, member{Name: strconv.Itoa(f.status), Value: d.failure(&f)})
		codes = slices.Concat(codes, f.codes, f.site)
	}
	slices.Sort(codes)
	if d.forClients {
		return members{{clientError, append(fallback, member{Name: "x-codes", Value: slices.Compact(codes)})}}
	}
	return append(responses, member{Name: "default", Value: fallback})
}

func (d document) schemas() members {
	components := d.ownPart("schemas")
	for _, e := range mapping.Table {
		components = d.withSchemas(components, e.Result)
	}
	return append(components, each(func(e *mapping.Endpoint) (string, any) {
		if len(e.Fields) == 0 {
			return "", nil
		}
		return camel(e.Name()), d.input(e)
	})...)
}
