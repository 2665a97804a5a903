package docs

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// reference is what the page shows of an OpenAPI document.
type reference struct {
	Groups   []group
	Types    []objectType
	Failures []failure
	Fields   []field // header fields of responses
}

// group has the operations of a resource.
type group struct {
	Name, Title, Text string
	Operations        []operation
}

// operation is an operation, or several that mean the same.
type operation struct {
	ID, Summary string
	Methods     []string
	Path        string
	Texts       []string
	Credentials bool // are needed
	Parameters  []field
	Body        []field
	BodyExample string
	Responses   []response
	Samples     []sample
}

// field is a parameter, a member of an object, or a header field.
type field struct {
	Name, In, Text string
	Type           []typePart
	Required       bool
	Default        string // as JSON; "" for none
	Values         []string
}

// typePart is a part of the name of a type: a word, or the name of an object, which has a description.
type typePart struct {
	Word   string
	Object string
}

// response is a response without an error, or the statuses of the errors.
type response struct {
	Status, Text string
	Failure      bool // is described once for all operations
	Type         []typePart
	Example      string
}

// objectType is an object of bodies.
type objectType struct {
	Name, Text string
	Fields     []field
}

// failure has the errors of a status.
type failure struct {
	Status, Text string
	Codes        []failureCode
}

type failureCode struct{ Code, Text string }

// reader makes a reference from a document.
type reader struct {
	openAPI
	texts i18n.Catalog
}

// newReference reads an OpenAPI document.
func newReference(document []byte, texts i18n.Catalog) (ref reference) {
	r := reader{texts: texts}
	if err := json.Unmarshal(document, &r.openAPI); err != nil {
		panic("BUG: the document is JSON: " + err.Error())
	}
	for _, tag := range r.Tags {
		g := group{Name: tag.Name, Title: texts.Text("page."+tag.Name, nil), Text: tag.Description}
		for _, path := range r.Paths {
			g.Operations = append(g.Operations, r.operations(tag.Name, path)...)
		}
		ref.Groups = append(ref.Groups, g)
	}
	for _, s := range r.Components.Schemas {
		ref.Types = append(ref.Types, objectType{s.Name, s.Value.Description, r.fields(s.Value)})
	}
	for _, a := range r.Components.Responses {
		if _, err := strconv.Atoi(a.Name); err == nil {
			ref.Failures = append(ref.Failures, newFailure(a.Name, a.Value.Description))
		}
	}
	for _, h := range r.Components.Headers {
		ref.Fields = append(ref.Fields, field{Name: h.Name, Text: h.Value.Description})
	}
	return ref
}

// operations returns the operations of a path with a tag. HEAD and OPTIONS are left out, since every path has
// them, and methods that mean the same are one.
func (r *reader) operations(tag string, path member[ordered[openAPIOperation]]) (all []operation) {
	for _, m := range path.Value {
		method, o := strings.ToUpper(m.Name), m.Value
		if method == "HEAD" || method == "OPTIONS" || !slices.Contains(o.Tags, tag) {
			continue
		}
		if i := slices.IndexFunc(all, func(known operation) bool { return known.Summary == o.Summary }); i >= 0 {
			methods := append([]string{method}, all[i].Methods...) // the last one, PATCH, is what updates are
			all[i] = r.operation(method, path.Name, o)
			all[i].Methods = methods
			continue
		}
		all = append(all, r.operation(method, path.Name, o))
	}
	return all
}

func (r *reader) operation(method, path string, o openAPIOperation) operation {
	shown := operation{ID: o.OperationID, Methods: []string{method}, Path: path, Summary: o.Summary,
		Texts:       strings.Split(o.Description, "\n\n"),
		Credentials: !slices.ContainsFunc(o.Security, func(need map[string]any) bool { return len(need) == 0 })}
	for _, p := range o.Parameters {
		if p.Ref != "" {
			p = r.Components.Parameters.get(last(p.Ref))
		}
		f := r.field(p.Name, p.Schema)
		f.In, f.Text, f.Required = p.In, p.Description, p.Required
		shown.Parameters = append(shown.Parameters, f)
	}
	if body := o.RequestBody.Content.get("application/json"); body.Schema.Ref != "" {
		shown.Body = r.fields(r.Components.Schemas.get(last(body.Schema.Ref)))
		shown.BodyExample = indented(body.Example)
	}
	for _, a := range o.Responses {
		if a.Name != "default" { // any error
			shown.Responses = append(shown.Responses, r.response(a.Name, a.Value))
		}
	}
	shown.Samples = samples(method, r.Servers[0].URL+r.examplePath(path, o), shown.BodyExample, shown.Credentials)
	return shown
}

// examplePath returns a path with an item of the examples, and for a list with a parameter.
func (r *reader) examplePath(path string, o openAPIOperation) string {
	if len(o.Tags) == 1 {
		var item struct {
			ID   int
			Slug string
		}
		_ = json.Unmarshal(r.Components.Examples.get(o.Tags[0]+".read").Value, &item) // the general group has none
		path = strings.NewReplacer("{id}", strconv.Itoa(item.ID), "{slug}", item.Slug).Replace(path)
	}
	if slices.ContainsFunc(o.Parameters, func(p openAPIParameter) bool { return strings.HasSuffix(p.Ref, "per_page") }) {
		path += "?per_page=2"
	}
	return path
}

func (r *reader) response(status string, a openAPIResponse) response {
	_, err := strconv.Atoi(last(a.Ref))
	failed := a.Ref != "" && err == nil
	if a.Ref != "" {
		a = r.Components.Responses.get(last(a.Ref))
	}
	text, _, _ := strings.Cut(a.Description, "\n")
	shown := response{Status: status, Text: text, Failure: failed}
	if media := a.Content.get("application/json"); !failed && media.Schema.Ref != "" {
		shown.Type = r.typeOf(media.Schema)
		for _, example := range media.Examples {
			shown.Example = indented(r.Components.Examples.get(last(example.Value.Ref)).Value)
		}
	}
	return shown
}

func indented(value json.RawMessage) string {
	var b bytes.Buffer
	if len(value) > 0 && json.Indent(&b, value, "", "  ") != nil {
		panic("BUG: an example is JSON")
	}
	return b.String()
}

func (r *reader) fields(s schema) (all []field) {
	for _, p := range s.Properties {
		f := r.field(p.Name, p.Value)
		f.Required = slices.Contains(s.Required, p.Name)
		all = append(all, f)
	}
	return all
}

func (r *reader) field(name string, s schema) field {
	f := field{Name: name, Text: s.Description, Type: r.typeOf(s)}
	if text := string(s.Default); text != "null" {
		f.Default = text
	}
	for _, v := range s.Enum {
		f.Values = append(f.Values, jsonText(v))
	}
	return f
}

func jsonText(v any) string {
	text, ok := v.(string)
	if !ok {
		text = string(mapping.EncodeJSON(v))
	}
	return text
}

// typeOf returns the name of a type in the language of the page.
func (r *reader) typeOf(s schema) (parts []typePart) {
	if s.Ref != "" {
		return []typePart{{Object: last(s.Ref)}}
	}
	for _, one := range slices.Concat(s.AllOf, s.OneOf) {
		parts = r.or(parts, r.typeOf(one))
	}
	for _, name := range s.Type {
		if name == "array" && s.Items != nil {
			parts = r.or(parts, append([]typePart{{Word: r.texts.Text("page.list_of", nil)}}, r.typeOf(*s.Items)...))
		} else {
			parts = r.or(parts, []typePart{{Word: r.word(name)}})
		}
	}
	return parts
}

// or adds another possible type, unless it is there or is null.
func (r *reader) or(parts, more []typePart) []typePart {
	if len(more) == 1 && (more[0] == typePart{} || slices.Contains(parts, more[0])) {
		return parts
	}
	if len(parts) > 0 {
		parts = append(parts, typePart{Word: r.texts.Text("page.or", nil)})
	}
	return append(parts, more...)
}

// word returns the name of a JSON type; "" for null.
func (r *reader) word(name string) string {
	keys := map[string]string{
		"string": "page.type_text", "integer": "page.type_integer", "number": "page.type_number",
		"boolean": "page.type_boolean", "object": "page.type_object", "array": "page.type_list",
	}
	if key, ok := keys[name]; ok {
		return r.texts.Text(key, nil)
	}
	return ""
}

// newFailure reads the description of a response with an error: a text, and a line for each code.
func newFailure(status, description string) failure {
	lines := strings.Split(description, "\n- ")
	f := failure{Status: status, Text: lines[0]}
	for _, line := range lines[1:] {
		code, text, _ := strings.Cut(line, "`: ")
		f.Codes = append(f.Codes, failureCode{strings.TrimPrefix(code, "`"), text})
	}
	return f
}

// section is a part of the introduction.
type section struct {
	ID, Title string
	Texts     []field // without a Name: general
}

// introduction returns what holds for all operations.
func introduction(texts i18n.Catalog) (all []section) {
	for _, s := range []struct {
		id, title string
		texts     []string
	}{
		{"languages", "page.languages", []string{"page.about_languages", "common.language"}},
		{"paging", "page.paging", []string{"note.paging", "note.page_past_the_end"}},
		{"dates", "page.dates", []string{"events.field.start_date", "answer.event.utc_start_date", "note.window"}},
		{"errors", "page.errors", []string{"page.about_errors"}},
		{"updates", "page.updates", []string{"note.update", "note.reset"}},
		{"conditions", "page.conditions", []string{"header.If-Match", "header.If-Unmodified-Since"}},
	} {
		shown := section{ID: s.id, Title: texts.Text(s.title, nil)}
		for _, key := range s.texts {
			f := field{Text: texts.Text(key, map[string]string{"Parameter": mapping.Language.Name})}
			switch parts := strings.Split(key, "."); parts[0] {
			case "page", "note":
			case "common":
				f.Name = mapping.Language.Name
			default:
				f.Name = parts[len(parts)-1]
			}
			shown.Texts = append(shown.Texts, f)
		}
		all = append(all, shown)
	}
	return all
}
