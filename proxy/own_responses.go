package proxy

import (
	"maps"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
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
	f.respondDocument(x, h, "no-cache", f.docs.Index(x.target.choice.Index, x.texts, f.options.Clock()))
	return nil
}

// describe responds to OPTIONS.
func (f *Facade) describe(x *exchange) error {
	h := http.Header{"Allow": {mapping.Allow(x.target.Path)}}
	mapping.SetBodyTypes(h, x.target.Path)
	f.options.Surrogate.SetNoStore(h)
	description := f.docs.Description(x.target.choice.Index, x.texts, f.options.Clock())
	x.respond(http.StatusOK, h, description.Options(x.target.Path))
	return nil
}

// documentation serves the documentation page, or a file of the page.
func (f *Facade) documentation(x *exchange, file string) error {
	switch file {
	case "":
		f.respondDocument(x, maps.Clone(docs.PageHeader), "no-cache", f.document(x, docs.Page))
		return nil
	case docs.ClientFile:
		f.openAPI(x, docs.ClientOpenAPI)
		return nil
	}
	return f.asset(x, file)
}

// openAPI serves an OpenAPI document. Caches revalidate it soon, since another release may change it.
func (f *Facade) openAPI(x *exchange, kind docs.Kind) {
	f.respondDocument(x, http.Header{}, "max-age=300", f.document(x, kind))
}

func (f *Facade) document(x *exchange, kind docs.Kind) *docs.Document {
	return f.docs.Document(kind, x.target.choice.Index, x.texts)
}

// respondDocument writes the representation of a document that the client accepts, or 304. It adds to h.
func (f *Facade) respondDocument(x *exchange, h http.Header, control string, d *docs.Document) {
	f.options.Surrogate.SetOwn(h, control)
	f.respondRepresentation(x, h, d)
}

// respondRepresentation writes the representation of a document that the client accepts, or 304. It adds to h.
func (f *Facade) respondRepresentation(x *exchange, h http.Header, d *docs.Document) {
	if h["Vary"] == nil {
		h["Vary"] = f.edge.Vary("Accept-Encoding")
	}
	body := d.Body
	tag := d.ETag
	if d.Gzip != nil && acceptsGzip(x.request.Header["Accept-Encoding"]) {
		body = d.Gzip
		tag = gzipTag(tag)
		h["Content-Encoding"] = gzipCoding
	}
	x.respondTagged(h, body, tag)
}

// asset serves a file of the documentation page, by version and name. The path has a checksum, so that the file
// never changes.
func (f *Facade) asset(x *exchange, path string) error {
	file, mediaType, ok := f.docs.File(path)
	if !ok {
		return problem.NoRoute()
	}
	f.respondRepresentation(x, http.Header{"Content-Type": {mediaType}, "Content-Language": nil,
		"Cross-Origin-Resource-Policy": {"same-origin"}, "Cache-Control": {"public, max-age=31536000, immutable"}}, file)
	return nil
}

// start serves the start page: a page to clients that prefer one, as browsers do, and JSON to
// all others.
func (f *Facade) start(x *exchange) error {
	h := http.Header{}
	kind := docs.Start
	if problem.Prefers(x.request.Header["Accept"], "text/html") {
		h = maps.Clone(docs.StartHeader)
		kind = docs.StartPage
	}
	h["Vary"] = f.edge.Vary("Accept, Accept-Encoding")
	f.respondDocument(x, h, "no-cache", f.document(x, kind))
	return nil
}
