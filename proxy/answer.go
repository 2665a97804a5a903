package proxy

import (
	"context"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// ask makes a call for a request alone.
func (s *site) ask(ctx context.Context, x *exchange, call *mapping.Call, id edge.Identity, class upstream.Class) (response, error) {
	return s.obtain(ctx, s.callOf(x, call, id, class), &x.calls)
}

// callOf returns a call for a request.
func (s *site) callOf(x *exchange, call *mapping.Call, id edge.Identity, class upstream.Class) backendCall {
	return backendCall{
		call:        call,
		choice:      x.target.choice,
		identity:    id,
		class:       class,
		request:     x.id,
		description: x.target.description,
	}
}

// obtain calls the backend, notes the call, and adds the call to made.
func (s *site) obtain(ctx context.Context, c backendCall, made *calls) (response, error) {
	got, err := s.current(ctx, c, made)
	s.noteOf(ctx, c, got, err)
	return got, err
}

// noteOf notes the outcome of a call: whether the backend accepts the identity, and for [site.report].
func (s *site) noteOf(ctx context.Context, c backendCall, got response, err error) {
	if err == nil {
		now := s.options.Clock()
		s.edge.CountSignIn(upstream.ClientOf(ctx), c.identity, c.call.Secret(), got.reply.Status, now)
		s.accepted.learn(s.backend, c, got, now)
	}
	if s.report != nil {
		s.report(ctx, c, got, err)
	}
}

// send writes the response of a backend. The response to a read has an ETag of the body that the client sees.
// The response to a write has no ETag: the site transforms the values that it stores (RFC 9110, 9.3.4).
func (s *site) send(x *exchange, got response, id edge.Identity) {
	if nonce := got.reply.Header.Get("X-Wp-Nonce"); nonce != "" && id.Cookie != "" {
		got.header["X-WP-Nonce"] = []string{nonce}
	}
	if got.reply.Status < http.StatusBadRequest {
		got.body.Body = x.target.fields.Of(got.body.Body)
	}
	if !id.Anonymous() || x.target.call.Secret() || got.old || !s.options.Freshness.Shares(got.reply.Header) {
		private(got.header)
	}
	if !x.target.call.Endpoint.Writes() && got.reply.Status == http.StatusOK && got.body.Body != nil {
		x.respondTagged(got.header, got.body.Body, etag(got.body.Body))
		return
	}
	x.respond(got.reply.Status, got.header, got.body.Body)
}

// uncached sets in Cache-Status why a request bypasses the cache.
func (s *site) uncached(x *exchange, why string) {
	if s.options.Cache != nil {
		x.out.Header()["Cache-Status"] = []string{"calfacade; fwd=" + why}
	}
}
