package legacyclients

import (
	"net/http"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/problem"
)

// unsupported are parameters that make WordPress use another method, route, form or view
// (recordings events/en/list-_jsonp, errors/en/error-envelope, events/en/update-_method-query).
// The facade does not send them.
var unsupported = []string{"_envelope", "_jsonp", "_method", RouteParam}

// RouteParam names another path than that of the URL.
const RouteParam = "rest_route"

// FieldsParam selects fields of a response.
const FieldsParam = "_fields"

// Check returns an error for a request that the site would answer differently, because of an
// argument that the facade does not send to it. e is nil if no row of the table matches.
func Check(r *http.Request, e *mapping.Endpoint, in mapping.Input) error {
	for _, name := range unsupported {
		if in.Query.Has(name) {
			return refused(name)
		}
	}
	if e == nil {
		return nil
	}
	if !e.Writes() && r.ContentLength != 0 {
		return refused("the body of " + r.Method)
	}
	for _, param := range []mapping.Param{mapping.IDParam, mapping.SlugParam} {
		if e.PathParam(param.Name) != nil && in.Overrides(param.Name) {
			return refused(param.Name)
		}
	}
	if e.Action == mapping.Read && in.Query.Get("context") == "edit" {
		return refused("context")
	}
	return nil
}

// Envelope is [problem.Error.Envelope] in the legacy's names and form.
func (c *Clients) Envelope(e *problem.Error, texts i18n.Catalog) (code string, body []byte) {
	if faults, ok := e.Err.(mapping.Faults); ok {
		return faults.LegacyBody(texts, c.options.Names)
	}
	code, body = e.Envelope(texts)
	return code, mapping.PHP(body)
}

func refused(what string) error {
	return &problem.Error{Status: http.StatusBadRequest, Code: "calendar_legacy_argument", Args: map[string]string{"Param": what}}
}
