package proxy

import (
	"context"
	"net/http"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
	"go.uber.org/zap"
)

// forward selects the backend, calls it and writes its response.
func (f *Facade) forward(x *exchange) error {
	id := identity.Of(x.in, f.options.Cookies)
	if err := f.edge.AdmitSignIn(x.in, signIn(id, x.call), f.options.Clock()); err != nil {
		return err
	}
	f.stage.route(x, id)
	err := f.forwardTo(x, id)
	if err != nil && x.fallBack(err) {
		f.stage.toLegacy(x)
		return f.forwardTo(x, id)
	}
	return err
}

// forwardTo serves x from the selected backend, through the cache if clients may share the
// response.
func (f *Facade) forwardTo(x *exchange, id identity.Identity) error {
	writes := x.call.Endpoint.Writes()
	switch {
	case writes:
		f.uncached(x, "method")
	case f.options.Cache != nil && id.Anonymous() && !x.call.Secret():
		return f.cached(x)
	default:
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
	got, err := f.obtain(x.context(), x.backend, backendCall{x.call, x.choice, id, upstream.Read}, &x.upstream)
	if err != nil {
		return err
	}
	f.send(x, got, id)
	return nil
}

// signIn returns what a request with these credentials signs in with.
func signIn(id identity.Identity, call *mapping.Call) edge.SignIn {
	return edge.SignIn{Login: id.Authorization != "", Session: id.Cookie != "", Nonce: id.Nonce != "", Password: call.Secret()}
}

// uncached sets in Cache-Status why a request bypasses the cache.
func (f *Facade) uncached(x *exchange, why string) {
	if f.options.Cache != nil {
		x.out.Header()["Cache-Status"] = []string{"calfacade; fwd=" + why}
	}
}

// obtain calls a backend. It adds to record what is logged of the call.
func (f *Facade) obtain(ctx context.Context, from *backend, c backendCall, record *upstreamRecord) (response, error) {
	got, err := from.call(ctx, c, record)
	f.stage.observe(from, c, got, err)
	if err == nil {
		f.edge.CountSignIn(upstream.ClientOf(ctx), signIn(c.identity, c.call), got.reply.Status, f.options.Clock())
		record.sample = f.stage.sample(from, c, got)
	}
	return got, err
}

// send writes the response of a backend. That of a read has an ETag of the body that its
// client sees. That of a write has none: the site transforms what it stores (RFC 9110,
// 9.3.4).
func (f *Facade) send(x *exchange, got response, id identity.Identity) {
	if nonce := got.reply.Header.Get("X-Wp-Nonce"); nonce != "" && id.Cookie != "" {
		got.header["X-WP-Nonce"] = []string{nonce}
	}
	if !id.Anonymous() || x.call.Secret() || !f.options.Freshness.Shares(got.reply.Header) {
		private(got.header)
	}
	if !x.call.Endpoint.Writes() && got.reply.Status == http.StatusOK && got.body.Body != nil {
		tag := etag(got.body.Body)
		got.header["Etag"] = []string{tag}
		if matches(x.in.Header["If-None-Match"], tag) {
			x.respondNotModified(got.header)
			return
		}
	}
	x.respond(got.reply.Status, got.header, got.body.Body)
}

// private keeps a response to one client out of all caches on the way.
func private(h http.Header) {
	h.Set("Cache-Control", freshness.NoStore)
	h.Del("Expires")
}

// upstreamRecord is what is logged of the calls that a request caused.
type upstreamRecord struct {
	calls  int
	status int // of the last
	took   time.Duration

	sample *sample // to compare; nil if there is none
}

func (u *upstreamRecord) add(calls, status int, took time.Duration) {
	u.calls += calls
	u.status = status
	u.took += took
}

// join adds the calls of a fetch.
func (u *upstreamRecord) join(fetch *upstreamRecord) {
	u.add(fetch.calls, fetch.status, fetch.took)
	u.sample = fetch.sample
}

func (u *upstreamRecord) fields() []zap.Field {
	if u.calls == 0 {
		return nil
	}
	return []zap.Field{
		zap.Int("upstream_calls", u.calls),
		zap.Int("upstream_status", u.status),
		zap.Float64("upstream_ms", milliseconds(u.took)),
	}
}
