package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// admitLegacy refuses a routed request in the legacy's namespace that is switched off, or that
// has what the facade cannot pass.
func (f *Facade) admitLegacy(t *target, r *http.Request, in mapping.Input) error {
	if f.legacyIsOff(t) {
		f.nameRead(t, r.Method, in)
		return f.legacyOff(t)
	}
	t.fields = legacyclients.ParseFields(in.Query.Text(legacyclients.FieldsParam))
	return legacyclients.Check(r, t.Endpoint, in)
}

// nameRead sets the call of a read that is refused, so that its successor has the filters of a
// list. One that is not valid has none: the successor would refuse the same.
func (f *Facade) nameRead(t *target, method string, in mapping.Input) {
	if t.Endpoint == nil || t.Endpoint.Writes() || t.Endpoint.Local() {
		return
	}
	if call, err := mapping.Parse(t.Endpoint, method, in, mapping.Drop); err == nil {
		t.call = call.Rooted(f.options.Site[t.choice.Index].Code)
		t.query = t.call.Canonical()
	}
}

// readLegacyBody brings the body of a write in the legacy's names to the table's.
func (f *Facade) readLegacyBody(t *target, r *http.Request, in *mapping.Input) error {
	in.Body = f.clients.Names.FromLegacy(in.Body)
	return legacyclients.Check(r, t.Endpoint, *in)
}

// legacyIsOff reports whether a request in the legacy's namespace is to be refused. It counts the
// request for the share of a brownout.
func (f *Facade) legacyIsOff(t *target) bool {
	return f.clients.IsOff(f.options.Clock(), t.resource())
}

// resource returns the resource of a routed request; "" for none.
func (t *target) resource() string {
	for _, e := range mapping.Rows(t.Path) {
		return e.Resource
	}
	return ""
}

// legacyOff is the error for a request in the legacy's namespace that is switched off. No cache
// may store it (a 410 is cacheable by default): the next request may be served.
func (f *Facade) legacyOff(t *target) error {
	return problem.LegacyOff(f.successor(t))
}

// successor returns the neutral URL of the resource that a request in the legacy's namespace is for.
func (f *Facade) successor(t *target) string {
	if t.call != nil {
		return f.legacy.rewriter.Self(t.call, t.choice.Index)
	}
	path := t.Path
	if e := mapping.Rows(path); len(e) > 0 {
		path = (&mapping.Call{Endpoint: e[0], Item: t.Item}).Path()
	}
	return f.legacy.roots[t.choice.Index].Base() + path + rewrite.Naming(f.legacy.roots, t.choice.Index, t.choice.Spoken)
}

// selected returns an entry with the fields that the client selects.
func (x *exchange) selected(e *cache.Entry) *cache.Entry {
	if len(x.target.fields) == 0 || e.Status >= http.StatusBadRequest {
		return e
	}
	body := x.target.fields.Of(e.Body)
	some := &cache.Entry{Status: e.Status, Body: body, ETag: etag(body), Fields: slices.Clone(e.Fields), Life: e.Life, Aged: e.Aged}
	for i := range some.Fields {
		if some.Fields[i].Name == "Etag" {
			some.Fields[i].Values = []string{some.ETag}
		}
	}
	return some
}

// countLegacy reports a request in the legacy's namespace: to the metrics, and to the list of
// clients.
func (f *Facade) countLegacy(x *exchange) {
	refused := x.report.failure != nil && x.report.failure.Code == "calendar_legacy_off"
	f.options.Metrics.LegacyRequest(telemetry.LegacyClient{
		Family: legacyclients.Family(x.in.UserAgent()), Prefix: legacyclients.Prefix(x.client()), Resource: x.target.resource(),
		Method: x.in.Method,
	}, refused, x.report.started)
}

// describeLegacy serves what the legacy says of its own interface: its index, its
// documentation, and its response to OPTIONS. The facade asks for them like an anonymous
// client, and caches them. If they are closed to those, it asks with the client's credentials.
func (f *Facade) describeLegacy(x *exchange, id identity.Identity) error {
	if f.legacy.dialect.Dialect != f.clients.Names.Dialect {
		return problem.NoRoute() // the site has another interface now
	}
	request := f.clients.Description(x.in, x.target.Path)
	x.via.key = f.descriptionKey(request, x.target.choice.Index)
	root, client := x.target.choice.Index, x.client()
	fetch := func(ctx context.Context) (cache.Fetched, error) {
		return f.fetchDescription(x.callContext(ctx, client), root, request)
	}
	got := cache.Result{How: cache.Miss}
	if f.options.Cache == nil {
		fetched, err := fetch(x.in.Context())
		if err != nil {
			return err
		}
		got.Entry = fetched.Entry
	} else {
		x.report.known = f.options.Cache.Look()
		var err error
		if got, err = f.fromCache(x, f.options.Cache.Serve, fetch); err != nil {
			return err
		}
		x.report.outcome = telemetry.OutcomeOf(got)
	}
	if got.Entry.Status != http.StatusOK && !id.Anonymous() {
		return f.describeTo(x, request, id)
	}
	return f.respondDescription(x, got)
}

// describeTo serves a description that is closed to anonymous clients to one that has credentials
// (recordings closed/en/login-required-*).
func (f *Facade) describeTo(x *exchange, request upstream.Request, id identity.Identity) error {
	with := signIn(id, &mapping.Call{Endpoint: &mapping.Table[0]})
	if err := f.edge.AdmitSignIn(x.in, with, f.options.Clock()); err != nil {
		return err
	}
	if id.Authorization != "" && f.legacy.refusesCredentials {
		return credentialsRefused()
	}
	request.Anonymous = false
	id.SetHeader(request.Header)
	x.report.outcome = telemetry.Bypass
	fetched, err := f.fetchDescription(x.callContext(x.in.Context(), x.client()), x.target.choice.Index, request)
	if err != nil {
		return err
	}
	f.edge.CountSignIn(x.client(), with, fetched.Entry.Status, f.options.Clock())
	return f.respondDescription(x, cache.Result{Entry: fetched.Entry, How: cache.Miss})
}

// descriptionKey returns the key of a description in the cache.
func (f *Facade) descriptionKey(request upstream.Request, root int) string {
	return strings.Join([]string{f.legacy.shape, "description", f.legacy.roots[root].Language, request.Method, request.Target}, ":")
}

func (f *Facade) respondDescription(x *exchange, got cache.Result) error {
	got.Entry = x.selected(got.Entry)
	x.respondEntry(got, &f.entries)
	return nil
}

// descriptionFresh is how long a description is fresh. Its defaults change with the day.
const descriptionFresh = 5 * time.Minute

func (f *Facade) descriptionLife() cache.Life {
	o := f.options.Freshness
	return cache.Life{Fresh: descriptionFresh, StaleWhileRevalidate: o.StaleWhileRevalidate, StaleIfError: o.StaleIfError}
}

// fetchDescription makes the entry for a description.
func (f *Facade) fetchDescription(ctx context.Context, root int, request upstream.Request) (fetched cache.Fetched, err error) {
	defer recoverPanic(f.options.Log, idOf(ctx), &err)
	leave, err := f.edge.AdmitUncached(false)
	if err != nil {
		return fetched, err
	}
	defer leave()
	began := f.options.Clock()
	got, _, err := f.legacy.upstream.Do(ctx, f.legacy.roots[root].Upstream, request)
	switch {
	case err != nil:
		return fetched, callFailed(&mapping.Call{Endpoint: &mapping.Table[0]}, err)
	case got.Status == http.StatusNotFound && mapping.CodeOf(got.Body) == problem.NoRoute().Code:
		return fetched, problem.NoRoute() // the plugin is off (recording broken/en/plugin-off-namespace)
	case got.Status == http.StatusUnauthorized, got.Status == http.StatusForbidden: // closed to anonymous clients
	case got.Status != http.StatusOK:
		return fetched, invalid(fmt.Errorf("upstream status %d for a description", got.Status))
	}
	body, err := f.legacy.rewriter.Describe(root, got.Body)
	if err == nil && got.Status == http.StatusOK && !legacyclients.Describes(request, got.Body) {
		err = errors.New("the response is not a description")
	}
	if err != nil {
		return fetched, invalid(err)
	}
	o, life := f.options.Freshness, f.descriptionLife()
	if got.Status != http.StatusOK || !o.Shares(got.Header) || !request.Anonymous {
		life = cache.Life{}
	}
	h, tag := http.Header{}, etag(body)
	if allow := got.Header.Get("Allow"); allow != "" {
		h["Allow"] = []string{allow}
	}
	f.options.Surrogate.SetEntry(h, o.CacheControl(life, got.Header, began), nil)
	if !request.Anonymous {
		private(h)
	}
	date, aged := o.Origin(got.Header, began)
	entry := &cache.Entry{Status: got.Status, Fields: fields(h, tag, date), ETag: tag, Body: body, Life: life, Aged: aged}
	return cache.Fetched{Entry: entry, Store: life != cache.Life{}, Share: life != cache.Life{}}, nil
}
