package docs

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// ordered is a JSON object, whose members keep their order.
type ordered[T any] []member[T]

type member[T any] struct {
	Name  string
	Value T
}

// UnmarshalJSON implements [json.Unmarshaler].
func (o *ordered[T]) UnmarshalJSON(b []byte) error {
	for name, value := range jsonscan.Each(b) {
		m := member[T]{Name: name}
		if err := json.Unmarshal(value, &m.Value); err != nil {
			return err
		}
		*o = append(*o, m)
	}
	return nil
}

func (o ordered[T]) get(name string) (value T) {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return value
}

// openAPI has the parts of a document that the page shows.
type openAPI struct {
	Servers []struct{ URL string }
	Tags    []struct{ Name, Description string }
	Paths   ordered[ordered[operation]]

	Components struct {
		Parameters ordered[field]
		Headers    ordered[field]
		Responses  ordered[response]
		Schemas    ordered[schema]
		Examples   ordered[struct{ Value jsontext.Value }]
	}

	Operations map[string][]operation `json:"-"` // of Paths, by their tags
	Header     []field                `json:"-"` // of responses
}

// operation is an operation, or several that mean the same.
type operation struct {
	OperationID, Summary, Description string
	Tags                              []string
	Parameters                        []field
	RequestBody                       struct{ Content ordered[media] }
	Responses                         ordered[response]
	Security                          []map[string]any

	Methods []string `json:"-"`
	Path    string   `json:"-"`
	Body    schema   `json:"-"`
	Example string   `json:"-"` // of the body
	Samples []sample `json:"-"`
}

// Paragraphs returns the description.
func (o operation) Paragraphs() []string { return strings.Split(o.Description, "\n\n") }

// Credentials reports whether credentials are needed.
func (o operation) Credentials() bool {
	return !slices.ContainsFunc(o.Security, func(need map[string]any) bool { return len(need) == 0 })
}

// field is a parameter, a member of an object, or a header field.
type field struct {
	Ref                   string `json:"$ref"`
	Name, In, Description string
	Required              bool
	Schema                schema
}

type media struct {
	Schema   schema
	Example  jsontext.Value
	Examples ordered[struct {
		Ref string `json:"$ref"`
	}]
}

// response is a response without an error, or the errors of a status.
type response struct {
	Ref         string `json:"$ref"`
	Description string // of errors: a text, and a line for each code
	Content     ordered[media]

	Type    schema `json:"-"`
	Example string `json:"-"`
}

// Failure reports whether the response has codes. It is described once for all operations.
func (r response) Failure() bool { return strings.Contains(r.Description, beforeCode) }

const beforeCode = "\n- `"

// Text returns the description without the codes.
func (r response) Text() string {
	text, _, _ := strings.Cut(r.Description, "\n")
	return text
}

// Codes returns the codes of errors with their texts.
func (r response) Codes() (all ordered[string]) {
	for _, line := range strings.Split(r.Description, beforeCode)[1:] {
		code, text, _ := strings.Cut(line, "`")
		all = append(all, member[string]{code, strings.TrimLeft(text, "\u00a0: ")})
	}
	return all
}

// schema is a JSON schema.
type schema struct {
	Ref          string         `json:"$ref"`
	Type         jsontext.Value // a text or a list
	Description  string
	Properties   ordered[schema]
	Required     []string
	Items        *schema
	OneOf, AllOf []schema
	Enum         []any
	Default      *jsontext.Value // nil for null
}

// Fields returns the members of an object.
func (s schema) Fields() (all []field) {
	for _, p := range s.Properties {
		required := slices.Contains(s.Required, p.Name)
		all = append(all, field{Name: p.Name, Description: p.Value.Description, Schema: p.Value, Required: required})
	}
	return all
}

// indented returns an example as text; "" for nil.
func indented(example jsontext.Value) string {
	var b bytes.Buffer
	if example != nil && json.Indent(&b, example, "", "  ") != nil {
		panic("BUG: an example is JSON")
	}
	return b.String()
}

// readOpenAPI reads a document.
func readOpenAPI(body []byte) (d openAPI) {
	if err := json.Unmarshal(body, &d); err != nil {
		panic("BUG: the document is JSON: " + err.Error())
	}
	for _, h := range d.Components.Headers {
		d.Header = append(d.Header, field{Name: h.Name, Description: h.Value.Description})
	}
	d.Operations = map[string][]operation{}
	for _, path := range d.Paths {
		for _, m := range path.Value {
			d.add(strings.ToUpper(m.Name), path.Name, m.Value)
		}
	}
	return d
}

// add adds an operation, with the components that it refers to. HEAD and OPTIONS are left out, since
// every path has them, and methods that mean the same are one.
func (d *openAPI) add(method, path string, o operation) {
	if method == "HEAD" || method == "OPTIONS" {
		return
	}
	o.Methods, o.Path = []string{method}, path
	paged := false
	for i, p := range o.Parameters {
		if p.Ref != "" {
			o.Parameters[i] = d.Components.Parameters.get(last(p.Ref))
		}
		paged = paged || o.Parameters[i].Name == "per_page"
	}
	body := o.RequestBody.Content.get("application/json")
	o.Body, o.Example = d.Components.Schemas.get(last(body.Schema.Ref)), indented(body.Example)
	o.Responses = slices.DeleteFunc(o.Responses, func(m member[response]) bool { return m.Name == "default" }) // any error
	for i := range o.Responses {
		d.resolve(&o.Responses[i].Value)
	}
	var item struct { // of the examples
		ID   int
		Slug string
	}
	tag := o.Tags[0]
	_ = json.Unmarshal(d.Components.Examples.get(tag+".read").Value, &item) // the general group has none
	url := d.Servers[0].URL + strings.NewReplacer("{id}", strconv.Itoa(item.ID), "{slug}", item.Slug).Replace(path)
	if paged {
		url += "?per_page=2"
	}
	o.Samples = samples(method, url, o.Example, o.Credentials())
	known := d.Operations[tag]
	if i := slices.IndexFunc(known, func(k operation) bool { return k.Path == path && k.Summary == o.Summary }); i >= 0 {
		o.Methods = append(o.Methods, known[i].Methods...) // PATCH, the one for updates, is the last
		known[i] = o
		return
	}
	d.Operations[tag] = append(known, o)
}

// resolve reads the response that r refers to.
func (d *openAPI) resolve(r *response) {
	if r.Ref != "" {
		*r = d.Components.Responses.get(last(r.Ref))
	}
	if media := r.Content.get("application/json"); !r.Failure() && media.Schema.Ref != "" {
		r.Type = media.Schema
		for _, example := range media.Examples {
			r.Example = indented(d.Components.Examples.get(last(example.Value.Ref)).Value)
		}
	}
}

// last returns the name at the end of a reference.
func last(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// typePart is a part of the name of a type: a word, or the name of an object, which has a description.
type typePart struct {
	Word   string
	Object string
}

// typeWords are the keys of the names of JSON types; null has none.
var typeWords = map[string]string{
	"string": "page.type_text", "integer": "page.type_integer", "number": "page.type_number",
	"boolean": "page.type_boolean", "object": "page.type_object", "array": "page.type_list",
}

// typeOf returns the name of a type in a language.
func typeOf(texts i18n.Catalog, s schema) (parts []typePart) {
	if s.Ref != "" {
		return []typePart{{Object: last(s.Ref)}}
	}
	add := func(more []typePart) {
		if len(more) == 0 || len(more) == 1 && slices.Contains(parts, more[0]) { // null has no name
			return
		}
		if len(parts) > 0 {
			parts = append(parts, typePart{Word: texts.Text("page.or", nil)})
		}
		parts = append(parts, more...)
	}
	for _, one := range slices.Concat(s.AllOf, s.OneOf) {
		add(typeOf(texts, one))
	}
	for _, v := range jsonscan.AsList(s.Type) {
		switch name := jsonscan.Text(v); {
		case name == "array" && s.Items != nil:
			add(append([]typePart{{Word: texts.Text("page.list_of", nil)}}, typeOf(texts, *s.Items)...))
		case typeWords[name] != "":
			add([]typePart{{Word: texts.Text(typeWords[name], nil)}})
		}
	}
	return parts
}
