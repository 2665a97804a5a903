package proxy

// Upstreams returns the state of the REST roots, backend by backend in the order of the
// languages, the legacy first.
func (f *Facade) Upstreams() []Upstream {
	var all []Upstream
	for _, b := range f.backends {
		all = append(all, b.upstream.stats()...)
	}
	return all
}
