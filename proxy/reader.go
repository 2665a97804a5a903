package proxy

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Reader makes anonymous reads on one backend. It bypasses the cache and staging.
type Reader struct {
	site    i18n.Site
	backend *backend
}

// Reader returns the reader of the backend of that name.
func (f *Facade) Reader(name string) (*Reader, error) {
	i := slices.IndexFunc(f.backends, func(b *backend) bool { return b.name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no backend %q", name)
	}
	return &Reader{f.options.Site, f.backends[i]}, nil
}

// HasLanguage reports whether the backend has a root for a language of the site, by its code.
func (r *Reader) HasLanguage(language string) bool {
	return slices.ContainsFunc(r.backend.roots, func(root rewrite.Root) bool { return root.Language == language && root.Upstream != "" })
}

// Document is a response as clients would get it.
type Document struct {
	Status int
	rewrite.Result

	URL string // of the first call to the backend, of which the response was made
}

// Read makes a GET call in a language that the backend has. A response with the status of an
// error is no error of Read. The limits of the backend's host apply, and the call has the
// priority of a refresh.
func (r *Reader) Read(ctx context.Context, call *mapping.Call, language string) (Document, error) {
	if call.Method != http.MethodGet {
		panic("BUG: a reader only reads")
	}
	root := slices.Index(r.site.Codes(), language)
	var first firstCall
	got, err := r.backend.call(ctx, backendCall{call, r.site.Choose(root, call.Language), identity.Identity{}, upstream.Refresh}, &upstreamRecord{first: &first})
	return Document{got.reply.Status, got.body, siteurl.Join(first.root, first.target)}, err
}
