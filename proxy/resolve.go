package proxy

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/problem"
)

// resolve routes and parses a request. Once the row is known, resolve calls body, which reads the body of a
// write.
func (f *Facade) resolve(r *http.Request, body func() (mapping.Node, error)) (t target, err error) {
	if len(r.URL.RawQuery)+len(r.URL.EscapedPath()) > f.options.MaxURL {
		return *f.unrouted(r), problem.TooLong(http.StatusRequestURITooLong, "rest_uri_too_long", int64(f.options.MaxURL))
	}
	t, input, err := f.locate(r)
	if err != nil {
		return t, err
	}
	unknown := f.options.Unknown
	if t.OldNames {
		if err := f.admitLegacy(&t, r, input); err != nil {
			return t, err
		}
		unknown = mapping.Drop // as the legacy does
	}
	switch {
	case t.OldNames && (t.Endpoint == nil || t.Endpoint.Local()):
		err = f.describes(&t, r)
		return t, err
	case t.Endpoint == nil: // OPTIONS, the documentation page or the start page
		return t, nil
	}
	if t.Endpoint.Writes() {
		if input.Body, err = body(); err != nil {
			return t, err
		}
		if t.OldNames {
			input.Body = f.clients.Names.FromLegacy(input.Body)
			if err := legacyclients.Check(r, t.Endpoint, input); err != nil {
				return t, err
			}
		}
		t.choice = f.options.Site.Choose(t.Root, input.Language())
	}
	err = f.parse(&t, r.Method, input, unknown)
	return t, err
}

// admitLegacy refuses a routed request in the legacy's namespace that is switched off, or that
// the facade cannot pass.
func (f *Facade) admitLegacy(t *target, r *http.Request, input mapping.Input) error {
	if f.legacyIsOff(t) {
		if t.Endpoint != nil && !t.Endpoint.Writes() && !t.Endpoint.Local() {
			// The successor has the filters of a list, unless the neutral endpoint would refuse the filters.
			_ = f.parse(t, r.Method, input, mapping.Drop)
		}
		return problem.LegacyOff(f.successor(t))
	}
	t.fields = legacyclients.ParseFields(input.Query.Text(legacyclients.FieldsParam))
	return legacyclients.Check(r, t.Endpoint, input)
}

// parse sets the call of a target that has a row, and the values derived from the call.
func (f *Facade) parse(t *target, method string, input mapping.Input, unknown mapping.Unknown) error {
	call, err := mapping.Parse(t.Endpoint, method, input, unknown)
	if err != nil {
		return err
	}
	if unknown == mapping.Report {
		t.dropped = droppedField(t.Endpoint.Dropped(input))
	}
	code := f.options.Site[t.choice.Index].Code
	t.call = call.Rooted(code)
	t.query = t.call.Canonical()
	t.key = f.site.key(t)
	return nil
}

// locate routes a request, and finds the language of the response, also with an error. The query has no
// nonce, which is a credential; see [edge.Identity].
func (f *Facade) locate(r *http.Request) (t target, input mapping.Input, err error) {
	query, badQuery := mapping.DecodeForm(r.URL.RawQuery)
	if f.options.Cookies {
		query = query.Without(mapping.NonceParam)
	}
	t.routed, err = f.router.match(r)
	if t.Start && query.Has(legacyclients.RouteParam) {
		err = problem.NoRoute() // the parameter names a REST route and no page
	}
	if t.OldNames {
		query = f.clients.Names.FromLegacy(query)
	}
	input = mapping.Input{Item: t.Item, Query: query, OldNames: t.OldNames}
	t.choice = f.options.Site.Choose(t.Root, input.Language())
	return t, input, cmp.Or(err, badQuery)
}

// unrouted returns the target of a request that is refused before routing. The target has only the language of
// the refusal.
func (f *Facade) unrouted(r *http.Request) *target {
	t, _, _ := f.locate(r)
	t.routed = routed{Root: t.Root, OldNames: t.OldNames}
	return &t
}

// setTarget makes t the target of a request. Every response in the legacy's namespace names a successor.
func (f *Facade) setTarget(x *exchange, t *target) {
	x.target = t
	x.key = t.key
	x.texts = i18n.Catalog(t.choice.Spoken)
	if t.dropped != "" {
		x.out.Header()[mapping.HeaderDropped] = []string{t.dropped}
	}
	if t.OldNames {
		f.clients.Announce(x.out.Header(), f.site.backend.roots[t.Root].Public, f.successor(t))
	}
}

// learn remembers the target of a read, unless the target has a secret.
func (f *Facade) learn(r *http.Request, resolved target) {
	secret := resolved.call.Secret() || strings.Contains(r.RequestURI, mapping.NonceParam)
	if !isRead(r.Method) || len(r.RequestURI) > maxTargetLen || secret || len(resolved.fields) > 0 {
		return
	}
	resolved.url = r.URL
	f.targets.Set(r.RequestURI, &resolved)
}

// maxDropped is the number of dropped parameters that a response names.
const maxDropped = 10

// droppedField returns the value of [mapping.HeaderDropped]; "" without names. Names are as in a query: clients
// choose them.
func droppedField(names []string) string {
	var escaped []string
	for _, name := range names[:min(len(names), maxDropped)] {
		escaped = append(escaped, url.QueryEscape(name))
	}
	return strings.Join(escaped, ", ")
}
