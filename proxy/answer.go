package proxy

import (
	"context"
	"net/http"
	"time"

	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
	"go.uber.org/zap"
)

// forward has the backend answer whose turn it is, and answers with that.
func (f *Facade) forward(x *exchange) error {
	who := identity.Of(x.in, f.options.Cookies)
	if err := f.edge.signIns.try(x, who, f.options.Clock()); err != nil {
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

func (f *Facade) forwardTo(x *exchange, who identity.Identity) error {
	switch {
	case x.call.Endpoint.Writes():
		f.uncached(x, "method")
		leave, err := f.edge.front.enter(true)
		if err != nil {
			return err
		}
		defer leave()
		return f.write(x, who)
	case f.options.Cache != nil && who.Anonymous() && !x.call.Secret():
		return f.cached(x)
	}
	x.outcome = telemetry.Bypass
	f.uncached(x, "bypass")
	leave, err := f.edge.front.enter(false)
	if err != nil {
		return err
	}
	defer leave()
	got, err := f.obtain(x.context(), x.backend, backendCall{x.call, x.choice, who, upstream.Read}, &x.upstream)
	if err != nil {
		return err
	}
	f.send(x, got, who)
	return nil
}

// uncached says in Cache-Status why a request goes past the cache.
func (f *Facade) uncached(x *exchange, why string) {
	if f.options.Cache != nil {
		x.out.Header()["Cache-Status"] = []string{"calfacade; fwd=" + why}
	}
}

// obtain has a backend answer. record is what the log tells of it.
func (f *Facade) obtain(ctx context.Context, from *backend, q backendCall, record *upstreamRecord) (response, error) {
	got, err := from.call(ctx, q, record)
	f.stage.observe(from, q, got, err)
	if err == nil {
		f.edge.signIns.answered(upstream.ClientOf(ctx), q, got.reply.Status, f.options.Clock())
		record.sample = f.stage.sample(from, q, got)
	}
	return got, err
}

// send answers with what a backend said. A read has a validator, which is made of what its
// client alone may see. The answer to a write has none: what was written is not what is
// shown (RFC 9110, 9.3.4).
func (f *Facade) send(x *exchange, got response, who identity.Identity) {
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
			x.respondNotModified(got.header)
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

	sample *sample // nil: nothing is to be compared
}

func (u *upstreamRecord) add(calls, status int, took time.Duration) {
	u.calls += calls
	u.status = status
	u.took += took
}

// join adds what a fetch cost.
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
