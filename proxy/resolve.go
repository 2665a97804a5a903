package proxy

import (
	"cmp"
	"maps"
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
	switch {
	case t.InLegacyNames: // the site describes itself, and reads more arguments (recordings index/en/namespace, error-envelope)
		err = f.resolveLegacy(&t, r, input, body, err)
	case err != nil, t.Endpoint == nil: // OPTIONS, the documentation page or the start page
	default:
		err = f.parse(&t, r.Method, input, body, f.options.Unknown)
	}
	return t, err
}

// resolveLegacy sets call and header of a target in the legacy's namespace. err is the error of the route.
func (f *Facade) resolveLegacy(
	t *target, r *http.Request, input mapping.Input, body func() (mapping.Node, error), err error,
) error {
	if err == nil {
		err = f.parseLegacy(t, r, input, body)
	}
	f.announce(t)
	return err
}

// parseLegacy sets the call of a routed request in the legacy's namespace, or the description that the client asks
// for, and refuses requests that are switched off, or that the facade cannot pass.
func (f *Facade) parseLegacy(t *target, r *http.Request, input mapping.Input, body func() (mapping.Node, error)) error {
	if f.legacyIsOff(t) {
		if t.Endpoint != nil && !t.Endpoint.Writes() && !t.Endpoint.Local() {
			// The successor has the filters of a list, unless the neutral endpoint would refuse the filters.
			_ = f.parse(t, r.Method, input, nil, mapping.Drop)
		}
		return problem.LegacyOff(f.successor(t))
	}
	if err := legacyclients.Check(r, t.Endpoint, input); err != nil {
		return err
	}
	if t.Endpoint == nil || t.Endpoint.Local() {
		return f.describes(t, r)
	}
	neutralBody := func() (mapping.Node, error) {
		received, err := body()
		if err != nil {
			return received, err
		}
		input.Body = f.clients.Names.FromLegacy(received)
		return input.Body, legacyclients.Check(r, t.Endpoint, input)
	}
	return f.parse(t, r.Method, input, neutralBody, mapping.Drop) // as the legacy does
}

// parse sets the call of a target that has a row, and the values derived from the call.
func (f *Facade) parse(
	t *target, method string, input mapping.Input, body func() (mapping.Node, error), unknown mapping.Unknown,
) (err error) {
	if t.Endpoint.Writes() {
		if input.Body, err = body(); err != nil {
			return err
		}
		t.choice = f.options.Site.Choose(t.Root, input.Language())
	}
	call, err := mapping.Parse(t.Endpoint, method, input, unknown)
	if err != nil {
		return err
	}
	if unknown == mapping.Report {
		t.header = droppedField(t.Endpoint.Dropped(input))
	}
	code := f.options.Site[t.choice.Index].Code
	t.call = call.Rooted(code)
	t.query = t.call.Canonical()
	t.secret = t.call.Secret()
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
	if t.InLegacyNames { // also an error is in the language that the legacy's parameter names
		query, t.fields = f.clients.Read(query)
	}
	input = mapping.Input{Item: t.Item, Query: query, InLegacyNames: t.InLegacyNames, Extensions: f.options.Extensions}
	t.choice = f.options.Site.Choose(t.Root, input.Language())
	return t, input, cmp.Or(err, badQuery)
}

// unrouted returns the target of a request that is refused before routing. The target has only the language of
// the refusal.
func (f *Facade) unrouted(r *http.Request) *target {
	t, _, _ := f.locate(r)
	t.routed = routed{Root: t.Root, InLegacyNames: t.InLegacyNames}
	if t.InLegacyNames { // a refusal has the link to the REST interface, as all of WordPress's responses
		f.announce(&t)
	}
	return &t
}

// setTarget makes t the target of a request.
func (f *Facade) setTarget(x *exchange, t *target) {
	x.target = t
	x.key = t.key
	x.texts = i18n.Catalog(t.choice.Spoken)
	if t.header != nil {
		maps.Copy(x.out.Header(), t.header)
	}
}

// learn remembers the target of a read, unless the target has a secret.
func (f *Facade) learn(r *http.Request, resolved target) {
	secret := resolved.secret || strings.Contains(r.RequestURI, mapping.NonceParam)
	if !isRead(r.Method) || len(r.RequestURI) > maxTargetLen || secret || len(resolved.fields) > 0 {
		return
	}
	resolved.url = r.URL
	f.targets.Set(r.RequestURI, &resolved)
}

// maxDropped is the number of dropped parameters that a response names.
const maxDropped = 10

// droppedField returns [mapping.HeaderDropped]; nil without names. Names are as in a query: clients choose them.
func droppedField(names []string) http.Header {
	if len(names) == 0 {
		return nil
	}
	var escaped []string
	for _, name := range names[:min(len(names), maxDropped)] {
		escaped = append(escaped, url.QueryEscape(name))
	}
	return http.Header{mapping.HeaderDropped: {strings.Join(escaped, ", ")}}
}
