package proxy

import (
	"maps"
	"net/http"

	"github.com/calfacade/calfacade/proxy/docs"
	"github.com/calfacade/calfacade/proxy/problem"
)

// start serves the start page: a page to clients that prefer one, as browsers do, and JSON to
// all others.
func (f *Facade) start(x *exchange) error {
	vary := f.edge.Vary("Accept")
	if !problem.Prefers(x.in.Header["Accept"], "text/html") {
		body := f.docs.Start(x.choice.Index, x.texts)
		h := http.Header{"Cache-Control": docs.StartHeader["Cache-Control"], "Etag": {etag(body)}, "Vary": vary}
		if matches(x.in.Header["If-None-Match"], h["Etag"][0]) {
			x.respondNotModified(h)
			return nil
		}
		x.respond(http.StatusOK, h, body)
		return nil
	}
	body, err := f.docs.StartPage(x.choice.Index, x.texts)
	if err != nil {
		return err
	}
	h := maps.Clone(docs.StartHeader)
	h["Vary"] = vary
	x.html(h, body)
	return nil
}
