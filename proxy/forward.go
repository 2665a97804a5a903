package proxy

import (
	"net/http"

	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// forward selects the backend, calls it and writes its response.
func (f *Facade) forward(x *exchange) error {
	id := identity.Of(x.in, f.options.Cookies)
	if err := f.route(x, id); err != nil {
		return err
	}
	err := f.forwardTo(x, id)
	if err != nil && isBackendFault(err) && x.canFallBack() {
		x.selection = selection{backend: f.legacy, key: x.legacyKey}
		x.fetched.Store(nil) // is in x.calls
		return f.forwardTo(x, id)
	}
	return err
}

// route selects the backend of a request that may sign in.
func (f *Facade) route(x *exchange, id identity.Identity) error {
	if err := f.edge.AdmitSignIn(x.in, signIn(id, x.call), f.options.Clock()); err != nil {
		return err
	}
	if err := f.look(x); err != nil {
		return err
	}
	if f.stage != nil {
		to, tested, err := f.routeTester(x)
		if err != nil {
			return err
		}
		if !tested {
			to = f.stage.route(x.target, f.canaryClient(x.in, id))
		}
		x.selection = to
	}
	return nil
}

// canaryClient identifies a client to a canary: by its credentials, else by its address.
func (f *Facade) canaryClient(r *http.Request, id identity.Identity) staging.Client {
	key := id.Authorization + id.Cookie
	if key == "" {
		key = f.edge.Name(r)
	}
	return staging.Client{Number: staging.NumberOf(key), Credentials: !id.Anonymous()}
}

// canFallBack reports whether the legacy has to serve a read that failed on the candidate.
func (x *exchange) canFallBack() bool {
	return x.route.Candidate && x.route.Fallback && !x.call.Endpoint.Writes() && x.out.status == 0
}

// forwardTo serves x from the selected backend, through the cache if clients may share the
// response.
func (f *Facade) forwardTo(x *exchange, id identity.Identity) error {
	if f.options.Cache != nil && !x.call.Endpoint.Writes() && id.Anonymous() && !x.call.Secret() {
		return f.cached(x)
	}
	return f.forwardUncached(x, id)
}

// forwardUncached serves x from the selected backend. It is apart from forwardTo because of
// the size of its frame; see serveUnknown.
func (f *Facade) forwardUncached(x *exchange, id identity.Identity) error {
	writes := x.call.Endpoint.Writes()
	if writes {
		f.uncached(x, "method")
	} else {
		x.outcome = telemetry.Bypass
		f.uncached(x, "bypass")
	}
	leave, err := f.edge.AdmitUncached(writes)
	if err != nil {
		return err
	}
	defer leave()
	if writes {
		return f.write(x, id)
	}
	got, err := f.obtain(x.context(), x.backend, backendCall{x.call, x.choice, id, upstream.Read}, &x.calls)
	if err != nil {
		return err
	}
	f.send(x, got, id)
	return nil
}

// uncached sets in Cache-Status why a request bypasses the cache.
func (f *Facade) uncached(x *exchange, why string) {
	if f.options.Cache != nil {
		x.out.Header()["Cache-Status"] = []string{"calfacade; fwd=" + why}
	}
}
