package proxy

import (
	"net/http"
	"sync"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/openapi"
)

// documents keeps the documentation in each language, which decides the root too.
// It depends on nothing else, so it is made once, when it is first asked for.
type documents struct{ made sync.Map } // of i18n.Voice to *cache.Entry

func (d *documents) of(base string, voice i18n.Voice) *cache.Entry {
	if e, ok := d.made.Load(voice); ok {
		return e.(*cache.Entry)
	}
	body := openapi.Document(base, string(voice), voice)
	e, _ := d.made.LoadOrStore(voice, &cache.Entry{Body: body, ETag: etag(body), Gzip: Compress(body)})
	return e.(*cache.Entry)
}

// document answers with the documentation. Another release may change it, so
// nobody keeps it for long without asking.
func (f *Facade) document(x *exchange) {
	e := f.documents.of(f.legacy.roots[x.choice.Index].Base(), x.voice)
	body, tag := e.Body, e.ETag
	h := http.Header{"Cache-Control": {"max-age=300"}, "Vary": x.edge.varying("Accept-Encoding")}
	if e.Gzip != nil && acceptsGzip(x.in.Header["Accept-Encoding"]) {
		body, tag = e.Gzip, gzipTag(tag)
		h["Content-Encoding"] = gzipCoding
	}
	h["Etag"] = []string{tag}
	if !matches(x.in.Header["If-None-Match"], tag) {
		x.respond(http.StatusOK, h, body)
		return
	}
	x.respondKnown(h)
}
