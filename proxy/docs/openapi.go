package docs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html/template"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// reader reads the model of an OpenAPI document for the template of the page.
type reader struct {
	model mapping.Members
	texts i18n.Catalog
}

// funcs are the functions of the template. They have the values of the model for arguments.
func (r reader) funcs() template.FuncMap {
	return template.FuncMap{
		"object": r.object, "fields": fields, "type": r.typeOf, "codes": codes, "indented": indented,
		"paragraphs": func(text string) []string { return strings.Split(text, "\n\n") },
		"line":       func(text string) string { return strings.SplitN(text, "\n", 2)[0] },
	}
}

// object returns v, or the component that v refers to.
func (r reader) object(v any) mapping.Members {
	object, _ := v.(mapping.Members)
	if ref, ok := object.Get("$ref").(string); ok {
		return r.object(r.model.Get(strings.Split(ref, "/")[1:]...))
	}
	return object
}

// fields returns objects with their names, such as the properties of a schema, in the form of parameters.
func fields(objects mapping.Members, required []any) (parameters []mapping.Members) {
	for _, m := range objects {
		object := m.Value.(mapping.Members)
		parameters = append(parameters, mapping.Members{{"name", m.Name}, {"required", slices.Contains(required, any(m.Name))},
			{"description", object.Get("description")}, {"schema", object}})
	}
	return parameters
}

// codes returns the codes that the description of errors lists, with their texts.
func codes(description string) (members mapping.Members) {
	for _, line := range strings.Split(description, "\n- `")[1:] {
		code, text, _ := strings.Cut(line, "`")
		members = append(members, mapping.Member{Name: code, Value: strings.TrimLeft(text, "\u00a0: ")})
	}
	return members
}

// indented returns a value as JSON for people; "" for nil.
func indented(v any) string {
	var b bytes.Buffer
	if v != nil && json.Indent(&b, mapping.EncodeJSON(v), "", "  ") != nil {
		panic("BUG: an example is JSON")
	}
	return b.String()
}

// operation is a row of the table: methods that mean the same.
type operation struct {
	mapping.Members          // of the first method
	Methods         []string // the last of the row first: PATCH, the one for updates
	Path            string
	Credentials     bool // credentials are needed
	Samples         []sample
}

// operations returns the operations by their tags. HEAD and OPTIONS are left out, since every path has them.
func (r reader) operations(base string) map[string][]operation {
	byTag := map[string][]operation{}
	for _, e := range mapping.Table {
		o := operation{Methods: slices.Clone(e.Methods), Path: cmp.Or(e.Path, "/"), Credentials: e.Writes()}
		slices.Reverse(o.Methods)
		o.Members = r.object(r.model.Get("paths", o.Path, strings.ToLower(o.Methods[0])))
		tag := o.Get("tags").([]string)[0]
		item, _ := r.model.Get("components", "examples", tag+".read", "value").(jsontext.Value) // the general group has none
		id := jsonscan.Text(jsonscan.Get(item, "id"))
		slug := jsonscan.Text(jsonscan.Get(item, "slug"))
		url := base + strings.NewReplacer("{id}", id, "{slug}", slug).Replace(o.Path)
		if e.Action == mapping.List {
			url += "?per_page=2"
		}
		o.Samples = samples(o.Methods[0], url, o.Get("requestBody", "content", "application/json", "example"), o.Credentials)
		byTag[tag] = append(byTag[tag], o)
	}
	return byTag
}

// typePart is a part of the name of a type: a word, or the name of an object, which has a description.
type typePart struct {
	Word   string
	Object string
}

// typeWords are the keys of the names of JSON types; null has no name.
var typeWords = map[any]string{
	"string": "page.type_text", "integer": "page.type_integer", "number": "page.type_number",
	"boolean": "page.type_boolean", "object": "page.type_object", "array": "page.type_list",
}

// typeOf returns the name of the type of a schema in the language of the page.
func (r reader) typeOf(schema any) (parts []typePart) {
	s, _ := schema.(mapping.Members)
	if ref, ok := s.Get("$ref").(string); ok {
		return []typePart{{Object: ref[strings.LastIndexByte(ref, '/')+1:]}}
	}
	add := func(next []typePart) {
		if len(next) == 0 || len(next) == 1 && slices.Contains(parts, next[0]) { // null has no name
			return
		}
		if len(parts) > 0 {
			parts = append(parts, typePart{Word: r.texts.Text("page.or", nil)})
		}
		parts = append(parts, next...)
	}
	for _, variant := range slices.Concat(list(s.Get("allOf")), list(s.Get("oneOf"))) {
		add(r.typeOf(variant))
	}
	for _, name := range list(s.Get("type")) {
		items := s.Get("items")
		switch {
		case name == "array" && items != nil:
			add(append([]typePart{{Word: r.texts.Text("page.list_of", nil)}}, r.typeOf(items)...))
		case typeWords[name] != "":
			add([]typePart{{Word: r.texts.Text(typeWords[name], nil)}})
		}
	}
	return parts
}

// list returns the elements of a list, and another value as the only element.
func list(v any) []any {
	if items, ok := v.([]any); ok || v == nil {
		return items
	}
	return []any{v}
}
