package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// describeLegacy serves what the legacy says of its own interface: its index, its
// documentation, and its response to OPTIONS. The facade asks for them like an anonymous
// client, and caches them. If they are closed to those, it asks with the client's credentials.
func (f *Facade) describeLegacy(x *exchange) error {
	if f.legacy.dialect.Dialect != f.clients.Names().Dialect {
		return problem.NoRoute() // the site has another interface now
	}
	request := f.clients.Description(x.in, x.Path)
	x.key = f.descriptionKey(request, x.choice.Index)
	root, client := x.choice.Index, x.client()
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
		x.known = f.options.Cache.Look()
		var err error
		if got, err = f.fromCache(x, f.options.Cache.Serve, fetch); err != nil {
			return err
		}
		x.outcome = telemetry.OutcomeOf(got)
	}
	if id := identity.Of(x.in, f.options.Cookies); got.Entry.Status != http.StatusOK && !id.Anonymous() {
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
	x.outcome = telemetry.Bypass
	fetched, err := f.fetchDescription(x.callContext(x.in.Context(), x.client()), x.choice.Index, request)
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
