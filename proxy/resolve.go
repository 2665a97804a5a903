package proxy

import (
	"net/http"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/problem"
)

// resolve routes and parses a request. It calls body, which reads the body of a write, once
// the row is known.
func (f *Facade) resolve(r *http.Request, body func() (mapping.Node, error)) (t target, err error) {
	t.choice = f.options.Site.Choose(0, "")
	if len(r.URL.RawQuery)+len(r.URL.EscapedPath()) > f.options.MaxURL {
		return *f.unrouted(r), problem.TooLong(http.StatusRequestURITooLong, "rest_uri_too_long", int64(f.options.MaxURL))
	}
	query, badQuery := mapping.DecodeQuery(r.URL.RawQuery)
	if f.options.Cookies {
		query = query.Without(mapping.NonceParam) // a credential; see package identity
	}
	t.routed, err = f.router.match(r)
	if t.Start && query.Has(legacyclients.RouteParam) {
		err = problem.NoRoute() // what it names is no page
	}
	if t.OldNames {
		query = f.clients.Names().FromLegacy(query)
	}
	in := mapping.Input{Item: t.Item, Query: query, OldNames: t.OldNames}
	t.choice = f.options.Site.Choose(t.Root, in.Language())
	switch {
	case err != nil:
		return t, err
	case badQuery != nil:
		return t, badQuery
	}
	if err := f.admitLegacy(&t, r, in); err != nil {
		return t, err
	}
	if t.Endpoint == nil { // OPTIONS, the documentation page or the start page
		return t, nil
	}
	t.name = t.Endpoint.Name()
	if t.OldNames && t.Endpoint.Local() {
		return t, nil // the legacy describes itself
	}
	if t.Endpoint.Writes() {
		if in.Body, err = body(); err != nil {
			return t, err
		}
		if err := f.readLegacyBody(&t, r, &in); err != nil {
			return t, err
		}
		t.choice = f.options.Site.Choose(t.Root, in.Language())
	}
	call, err := mapping.Parse(t.Endpoint, r.Method, in, f.unknown(&t))
	if err != nil {
		return t, err
	}
	code := f.options.Site[t.choice.Index].Code
	t.call = call.Rooted(code)
	t.query = t.call.Canonical()
	if !t.Endpoint.Local() {
		t.legacyKey = f.legacy.keyOf(t.call, code)
	}
	return t, nil
}

// unrouted returns the target of a request that is refused before it is routed. All that is
// known of it is the language of the refusal.
func (f *Facade) unrouted(r *http.Request) *target {
	query, err := mapping.DecodeQuery(r.URL.RawQuery)
	if err != nil {
		query = mapping.Query{}
	}
	t, path := &target{}, pathOf(r)
	if f.router.isLegacy(path) {
		t.OldNames, query = true, f.clients.Names().FromLegacy(query)
	}
	in := mapping.Input{Query: query}
	t.Root = f.options.Site.RootOf(path)
	t.choice = f.options.Site.Choose(t.Root, in.Language())
	return t
}
