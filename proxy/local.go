package proxy

import (
	"maps"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/openapi"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/docs"
	"github.com/calfacade/calfacade/proxy/problem"
)

// local serves the index and the OpenAPI document from the table.
func (f *Facade) local(x *exchange) error {
	if x.target.Endpoint.Action == mapping.Doc {
		f.openAPI(x, docs.OpenAPI)
		return nil
	}
	if !mapping.IndexNamespace(x.target.call) {
		return problem.InvalidNamespace()
	}
	h := http.Header{"Allow": {mapping.Allow(x.target.Path)}, "Link": {f.serviceDesc(x)}}
	f.options.Surrogate.SetOwn(h, "no-cache")
	x.respond(http.StatusOK, h, f.description(x).Index())
	return nil
}

// describe responds to OPTIONS.
func (f *Facade) describe(x *exchange) error {
	h := http.Header{"Allow": {mapping.Allow(x.target.Path)}}
	mapping.SetBodyTypes(h, x.target.Path)
	f.options.Surrogate.SetNoStore(h)
	x.respond(http.StatusOK, h, f.description(x).Options(x.target.Path))
	return nil
}

func (f *Facade) description(x *exchange) openapi.Description {
	root := f.legacy.roots[x.target.choice.Index]
	naming := rewrite.Naming(f.legacy.roots, x.target.choice.Index, x.target.choice.Spoken)
	return openapi.Description{Base: root.Base(), Up: root.Public, Naming: naming, Texts: x.texts, Now: f.options.Clock()}
}

// documentation serves the documentation page, or one of its files.
func (f *Facade) documentation(x *exchange, file string) error {
	switch file {
	case "":
		f.respondDocument(x, maps.Clone(docs.PageHeader), "no-cache", docs.Page)
		return nil
	case docs.ClientFile:
		f.openAPI(x, docs.ClientOpenAPI)
		return nil
	}
	return f.asset(x, file)
}

// openAPI serves an OpenAPI document. Caches revalidate it soon, since another release may change it.
func (f *Facade) openAPI(x *exchange, kind docs.Kind) {
	f.respondDocument(x, http.Header{}, "max-age=300", kind)
}

// respondDocument writes the representation of a document that the client accepts, or 304. It adds to h.
func (f *Facade) respondDocument(x *exchange, h http.Header, control string, kind docs.Kind) {
	d := f.docs.Document(kind, x.target.choice.Index, x.texts)
	f.options.Surrogate.SetOwn(h, control)
	if h["Vary"] == nil {
		h["Vary"] = f.edge.Vary("Accept-Encoding")
	}
	body, tag := d.Body, d.ETag
	if d.Gzip != nil && acceptsGzip(x.in.Header["Accept-Encoding"]) {
		body, tag = d.Gzip, gzipTag(tag)
		h["Content-Encoding"] = gzipCoding
	}
	x.respondTagged(h, body, tag)
}

// asset serves a file of the documentation page, by version and name. Its path has its checksum, so that it never changes.
func (f *Facade) asset(x *exchange, path string) error {
	body, mediaType, ok := docs.Find(path)
	if !ok {
		return problem.NoRoute()
	}
	x.respond(http.StatusOK, http.Header{"Content-Type": {mediaType}, "Content-Language": nil,
		"Cross-Origin-Resource-Policy": {"same-origin"}, "Cache-Control": {"public, max-age=31536000, immutable"}}, body)
	return nil
}

// start serves the start page: a page to clients that prefer one, as browsers do, and JSON to
// all others.
func (f *Facade) start(x *exchange) error {
	h, kind := http.Header{}, docs.Start
	if problem.Prefers(x.in.Header["Accept"], "text/html") {
		h, kind = maps.Clone(docs.StartHeader), docs.StartPage
	}
	h["Vary"] = f.edge.Vary("Accept, Accept-Encoding")
	f.respondDocument(x, h, "no-cache", kind)
	return nil
}
