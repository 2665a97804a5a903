package proxy

import "github.com/calfacade/calfacade/proxy/upstream"

// Upstreams returns the state of the REST roots, backend by backend in the order of the
// languages, the legacy first.
func (f *Facade) Upstreams() []upstream.RootStats {
	var all []upstream.RootStats
	for _, b := range f.backends {
		all = append(all, b.upstream.Stats()...)
	}
	return all
}

// CacheShape returns a hash of all options that responses depend on, such as
// [Options.PublicURL]. Instances share only entries of the same shape.
func (f *Facade) CacheShape() string { return f.legacy.shape }
