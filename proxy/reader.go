package proxy

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Reader makes anonymous reads on one backend. Reads bypass the cache and staging.
type Reader struct {
	site    i18n.Languages
	backend *backend
}

// Reader returns the reader of the backend with a name; nil for an unknown name.
func (f *Facade) Reader(name string) *Reader {
	i := slices.IndexFunc(f.backends, func(b *backend) bool { return b.name == name })
	if i >= 0 {
		return &Reader{site: f.options.Site, backend: f.backends[i]}
	}
	return nil
}

// HasLanguage reports whether the backend has a root for a language of the site. language is the code.
func (r *Reader) HasLanguage(language string) bool {
	return slices.ContainsFunc(r.backend.roots, func(root rewrite.RootURLs) bool { return root.Language == language && root.Upstream != "" })
}

// Read makes a GET call in a language that the backend has, and returns the response that clients would get. A
// response with the status of an error is no error of Read. The limits of the backend's host apply, and the
// call has the priority of a refresh.
func (r *Reader) Read(ctx context.Context, call *mapping.Call, language string) (compare.Document, error) {
	if call.Method != http.MethodGet {
		panic("BUG: a reader only reads")
	}
	choice := r.site.Choose(slices.Index(r.site.Codes(), language), call.Language)
	resp, err := r.backend.call(ctx, backendCall{call: call, choice: choice, class: upstream.Refresh}, new(calls))
	lookup, url, _ := r.backend.preview(call, choice)
	return compare.Document{Status: resp.reply.Status, Body: resp.body.Body, URL: cmp.Or(lookup, url)}, err
}
