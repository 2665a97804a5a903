package legacyclients

import (
	"net/http"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/proxy/problem"
)

// unsupported are parameters that make WordPress use another method, route, form or view
// (recordings events/en/list-_jsonp, errors/en/error-envelope, events/en/update-_method-query).
// The facade does not send them.
var unsupported = []string{"_envelope", "_jsonp", "_method", RouteParam}

// RouteParam names another path than the URL does.
const RouteParam = "rest_route"

// FieldsParam selects fields of a response.
const FieldsParam = "_fields"

// Read returns the query of a client in the table's names, and the fields that the client selects.
func (c *Clients) Read(query mapping.Node) (mapping.Node, Fields) {
	neutral := c.Names.FromLegacy(query)
	return neutral.Without(FieldsParam), ParseFields(neutral.Text(FieldsParam))
}

// Check returns an error for a request that the site would answer differently, because of an
// argument that the facade does not forward. e is nil if no row of the table matches.
func Check(r *http.Request, e *mapping.Endpoint, input mapping.Input) error {
	for _, name := range unsupported {
		if input.Query.Has(name) {
			return problem.LegacyArgument(name)
		}
	}
	if e == nil {
		return nil
	}
	if !e.Writes() && r.ContentLength != 0 {
		return problem.LegacyArgument("the body of " + r.Method)
	}
	for _, param := range []mapping.Param{mapping.IDParam, mapping.SlugParam} {
		if e.PathParam(param.Name) != nil && input.Overrides(param.Name) {
			return problem.LegacyArgument(param.Name)
		}
	}
	if e.Action == mapping.Read && input.Query.Text(contextParam) == "edit" {
		return problem.LegacyArgument(contextParam)
	}
	return nil
}

// Envelope is [problem.Error.Envelope] in the legacy's names and form.
func (c *Clients) Envelope(e *problem.Error, texts i18n.Catalog) (code string, body []byte) {
	if faults, ok := e.Err.(mapping.Faults); ok {
		return faults.LegacyBody(texts, c.Names)
	}
	code, body = e.Envelope(texts)
	return code, mapping.PHP(body)
}

// contexts are the values of contextParam that WordPress knows. WordPress ignores others (recording
// index/en/namespace-context-bogus).
var contexts = []string{"view", "help", "embed"}

// contextParam selects how much the index shows of each route.
const contextParam = "context"

// Description returns the request for the legacy's own description of a path of the table: the index, the
// documentation or, for OPTIONS, the parameters of the path. Every item has the same description, so the request has
// a fixed id or slug and nothing of the client's path.
func (c *Clients) Description(r *http.Request, path string) mapping.Request {
	request := mapping.Request{Method: http.MethodGet, Path: "/" + c.Namespace() +
		strings.NewReplacer("{"+mapping.IDParam.Name+"}", "1", "{"+mapping.SlugParam.Name+"}", "x").Replace(path)}
	context := r.URL.Query().Get(contextParam)
	switch {
	case r.Method == http.MethodOptions:
		request.Method = http.MethodOptions
	case path == "" && slices.Contains(contexts, context):
		request.Query = contextParam + "=" + context
	}
	return request
}

// Describes reports whether the body of a 200 is the description that was requested, and not the
// JSON of a wall in front of the site: a description has the parameters of the path, the routes of the
// namespace, or the paths of the documentation.
func Describes(request mapping.Request, body []byte) bool {
	members := []string{"routes", "paths"}
	if request.Method == http.MethodOptions {
		members = []string{"endpoints"}
	}
	return slices.ContainsFunc(members, func(name string) bool { return jsonscan.Get(body, name) != nil })
}

// Fields are the paths of the fields of a response that a client has selected with [FieldsParam],
// such as "image.url". Empty Fields select all.
type Fields []string

// ParseFields reads a list of fields, such as "id,image.url".
func ParseFields(text string) Fields {
	return strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(", \t\n\r", c) })
}

// Of returns the selected fields of a valid JSON object, in the object's order, and preserves the links of a
// response (recording index/en/namespace-fields).
func (f Fields) Of(body []byte) []byte {
	if len(f) == 0 {
		return body
	}
	return append(f[:len(f):len(f)], "_links").pick(body, "")
}

// pick returns the selected members of the object at prefix, a path with a final dot. Like
// WordPress it empties a list if fields of its elements are selected, and writes an object without
// members as [] (recording events/en/list-per_page-1000).
func (f Fields) pick(object []byte, prefix string) []byte {
	var members []string
	for name, v := range jsonscan.Each(object) {
		path := prefix + name
		childPrefix := prefix + name + "."
		switch {
		case slices.Contains(f, path):
		case !slices.ContainsFunc(f, func(field string) bool { return strings.HasPrefix(field, childPrefix) }):
			continue
		case v.Kind() == '{':
			v = f.pick(v, childPrefix)
		case v.Kind() == '[':
			v = []byte("[]")
		}
		members = append(members, jsonscan.Quote(name)+":"+string(v))
	}
	if members == nil {
		return []byte("[]")
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}
