package openapi

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// responses are those of the row's own methods.
func (d document) responses(e *mapping.Endpoint) members {
	out := members{{strconv.Itoa(e.Success()), ref("responses", resultName(e))}}
	if !e.Writes() {
		out = append(out, d.notModified(e)...)
	}
	for _, f := range failures {
		if f.of(e) {
			out = append(out, member{strconv.Itoa(f.status), ref("responses", strconv.Itoa(f.status))})
		}
	}
	return append(out, member{"default", ref("responses", "default")})
}

// success is the component of a response. Rows by ID and by slug share it.
func (d document) success(e *mapping.Endpoint) members {
	content := members{{"schema", ref("schemas", camel(resultOf(e).Name))}}
	if exampleOf(d.language, e) != nil {
		content = append(content, member{"examples", members{{"demo", ref("examples", exampleName(e))}}})
	}
	return members{
		{"description", d.text("response." + string(e.Action))},
		{"headers", headerRefs(e, e.Success())},
		{"content", members{{"application/json", content}}},
	}
}

// resultName is the name of the component of a response. Schemas have other names, since
// generators make types of both.
func resultName(e *mapping.Endpoint) string {
	return camel(strings.TrimSuffix(operationName(e), "_by_slug")) + "Result"
}

// notModified is the 304 of what has a validator.
func (d document) notModified(e *mapping.Endpoint) members {
	if e.Action == mapping.Index {
		return nil // it has today's defaults
	}
	return members{{"304", members{{"description", d.text("response.not_modified")}, {"headers", headerRefs(e, http.StatusNotModified)}}}}
}

// optionsHeaders are the header fields that have nothing to do with a cache.
func optionsHeaders(more ...string) members {
	m := members{}
	for _, name := range append([]string{"Allow", "RateLimit", "RateLimit-Policy", "Vary", "X-Request-Id"}, more...) {
		m = append(m, member{name, ref("headers", name)})
	}
	return m
}
