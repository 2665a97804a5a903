package proxy

import (
	"net/http"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/openapi"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/problem"
)

// local serves the index and the OpenAPI document from the table.
func (f *Facade) local(x *exchange) error {
	if x.endpoint.Action == mapping.Doc {
		f.document(x)
		return nil
	}
	if !mapping.IndexNamespace(x.call) {
		return &problem.Error{Status: http.StatusNotFound, Code: "rest_invalid_namespace"}
	}
	x.respond(http.StatusOK, http.Header{"Allow": {allow(x.path)}}, f.description(x).Index())
	return nil
}

// describe responds to OPTIONS.
func (f *Facade) describe(x *exchange) error {
	x.respond(http.StatusOK, http.Header{"Allow": {allow(x.path)}}, f.description(x).Options(x.path))
	return nil
}

func (f *Facade) description(x *exchange) openapi.Description {
	root := f.legacy.roots[x.choice.Index]
	naming := rewrite.Naming(f.legacy.roots, x.choice.Index, x.choice.Spoken)
	return openapi.Description{Base: root.Base(), Up: root.Public, Naming: naming, Texts: x.voice, Now: f.options.Clock()}
}
