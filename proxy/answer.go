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

// forward has the backend answer whose turn it is, and answers with that.
func (f *Facade) forward(x *exchange) error {
	who := identity.Of(x.in, f.options.Cookies)
	if err := f.edge.AdmitSignIn(x.in, signIn(who, x.call), f.options.Clock()); err != nil {
		return err
	}
	f.stage.route(x, who)
	err := f.forwardTo(x, who)
	if err != nil && x.fallBack(err) {
		f.stage.toLegacy(x)
		return f.forwardTo(x, who)
	}
	return err
}

// forwardTo answers x through the cache, if everybody may share the response, or past it.
func (f *Facade) forwardTo(x *exchange, who identity.Identity) error {
	writes := x.call.Endpoint.Writes()
	switch {
	case writes:
		f.uncached(x, "method")
	case f.options.Cache != nil && who.Anonymous() && !x.call.Secret():
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
		return f.write(x, who)
	}
	got, err := f.obtain(x.context(), x.backend, question{x.call, x.choice, who, upstream.Read}, &x.upstream)
	if err != nil {
		return err
	}
	f.send(x, got, who)
	return nil
}

// signIn returns what a request with these credentials signs in with.
func signIn(who identity.Identity, call *mapping.Call) edge.SignIn {
	return edge.SignIn{Login: who.Authorization != "", Session: who.Cookie != "", Nonce: who.Nonce != "", Password: call.Secret()}
}

// uncached says in Cache-Status why a request goes past the cache.
func (f *Facade) uncached(x *exchange, why string) {
	if f.options.Cache != nil {
		x.out.Header()["Cache-Status"] = []string{"calfacade; fwd=" + why}
	}
}

// obtain has a backend answer. record is what the log tells of it.
func (f *Facade) obtain(ctx context.Context, from *backend, q question, record *upstreamRecord) (answer, error) {
	got, err := from.answer(ctx, q, record)
	f.stage.answered(from, q, got, err)
	if err == nil {
		f.edge.CountSignIn(upstream.ClientOf(ctx), signIn(q.who, q.call), got.reply.Status, f.options.Clock())
		record.witness = f.stage.witness(from, q, got)
	}
	return got, err
}

// send answers with what a backend said. A read has a validator, which is made of what its
// client alone may see. The answer to a write has none: what was written is not what is
// shown (RFC 9110, 9.3.4).
func (f *Facade) send(x *exchange, got answer, who identity.Identity) {
	if nonce := got.reply.Header.Get("X-Wp-Nonce"); nonce != "" && who.Cookie != "" {
		got.header["X-WP-Nonce"] = []string{nonce}
	}
	if !who.Anonymous() || x.call.Secret() || !f.options.Freshness.Shares(got.reply.Header) {
		private(got.header)
	}
	if !x.call.Endpoint.Writes() && got.reply.Status == http.StatusOK && got.body.Body != nil {
		tag := etag(got.body.Body)
		got.header["Etag"] = []string{tag}
		if matches(x.in.Header["If-None-Match"], tag) {
			x.respondKnown(got.header)
			return
		}
	}
	x.respond(got.reply.Status, got.header, got.body.Body)
}

// private keeps an answer made for one client out of every cache on the way.
func private(h http.Header) {
	h.Set("Cache-Control", freshness.NoStore)
	h.Del("Expires")
}

// upstreamRecord is what the log tells of the calls a request made.
type upstreamRecord struct {
	calls  int
	status int // of the last
	took   time.Duration

	witness *witness // nil: nothing is to be compared
}

func (u *upstreamRecord) add(calls, status int, took time.Duration) {
	u.calls += calls
	u.status = status
	u.took += took
}

// join adds what a fetch cost.
func (u *upstreamRecord) join(fetch *upstreamRecord) {
	u.add(fetch.calls, fetch.status, fetch.took)
	u.witness = fetch.witness
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
