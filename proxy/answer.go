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

// forward selects the backend, calls it and writes its response.
func (f *Facade) forward(x *exchange) error {
	id := identity.Of(x.in, f.options.Cookies)
	if err := f.edge.signIns.try(x, id, f.options.Clock()); err != nil {
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

func (f *Facade) forwardTo(x *exchange, id identity.Identity) error {
	switch {
	case x.call.Endpoint.Writes():
		f.uncached(x, "method")
		leave, err := f.edge.front.enter(true)
		if err != nil {
			return err
		}
		defer leave()
		return f.write(x, id)
	case f.options.Cache != nil && id.Anonymous() && !x.call.Secret():
		return f.cached(x)
	}
	x.outcome = telemetry.Bypass
	f.uncached(x, "bypass")
	leave, err := f.edge.front.enter(false)
	if err != nil {
		return err
	}
	defer leave()
	got, err := f.obtain(x.context(), x.backend, backendCall{x.call, x.choice, id, upstream.Read}, &x.upstream)
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

// obtain calls a backend. It adds to record what is logged of the call.
func (f *Facade) obtain(ctx context.Context, from *backend, c backendCall, record *upstreamRecord) (response, error) {
	got, err := from.call(ctx, c, record)
	f.stage.observe(from, c, got, err)
	if err == nil {
		f.edge.signIns.answered(upstream.ClientOf(ctx), c, got.reply.Status, f.options.Clock())
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
