package proxy

import (
	"github.com/maypok86/otter/v2"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/docs"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/idempotency"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Facade serves the neutral namespace, as an [http.Handler].
type Facade struct {
	*base
	site     *site   // of the legacy
	handler  handler // of resolved requests: site, or a switch in front of it
	docs     *docs.Docs
	router   *router
	targets  *otter.Cache[string, *target] // known targets, by [http.Request.RequestURI]
	clients  *legacyclients.Clients        // nil: all clients speak the neutral names
	keys     *idempotency.Keys             // of creates; nil: clients cannot give a key
	codes    []int                         // parallel to options.Site: index of each language among the metric labels
	backends []*backend                    // the legacy first; the commands of operators name them
}

// switcher makes the handler that stands in front of the sites of a facade. Each [Switch] is a switcher: the options
// cannot name the types of its method, which stand above them.
type switcher interface {
	// between returns the handler in front of the site of the legacy and the other backends. The backends begin
	// with the legacy.
	between(legacy *site, backends []*backend) handler
}

// handler serves resolved requests: a [site], or the handler of a [switcher] in front of two.
type handler interface {
	// serve answers a request, or returns the error that the client gets.
	serve(x *exchange, id edge.Identity) error

	// hit returns the entry for a request in the lane, if the entry is in memory and fresh, and sets the site
	// of the request. ok is false also for a request that must not be served in the lane.
	hit(x *exchange, r *lane.Request) (result cache.Result, ok bool)

	// served is called once the lane serves the result of hit.
	served(x *exchange)

	// close stops work in the background.
	close()
}

// SetReadOnly switches read-only mode, in which writes are refused.
func (f *Facade) SetReadOnly(readOnly bool) { f.edge.SetReadOnly(readOnly) }

// ReadOnly reports whether writes are refused.
func (f *Facade) ReadOnly() bool { return f.edge.ReadOnly() }

// Upstreams returns the state of the REST roots, backend by backend in the order of the
// languages, the legacy first.
func (f *Facade) Upstreams() []upstream.RootStats {
	var roots []upstream.RootStats
	for _, b := range f.backends {
		roots = append(roots, b.upstream.Stats()...)
	}
	return roots
}

// CacheShape returns a hash of all options that responses depend on, such as
// [Options.PublicURL]. Instances share only entries of the same shape.
func (f *Facade) CacheShape() string { return f.site.backend.shape }

// Targets returns the memory of the known request targets, in bytes.
func (f *Facade) Targets() uint64 {
	f.targets.CleanUp() // counts the targets that were added last
	return f.targets.WeightedSize()
}

// Close stops work in the background, and closes idle connections to backends that no other facade uses. Close must be
// called once. Requests in progress are not affected.
func (f *Facade) Close() {
	f.handler.close()
	for _, b := range f.backends {
		b.upstream.Close()
	}
}

// finish completes a document.
func finish(d *docs.Document) {
	d.Gzip = compress(d.Body)
	d.ETag = etag(d.Body)
}
