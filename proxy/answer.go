package proxy

import (
	"context"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// ask makes a call for a request alone.
func (s *site) ask(ctx context.Context, x *exchange, call *mapping.Call, id edge.Identity, class upstream.Class) (neutralResponse, error) {
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
func (s *site) obtain(ctx context.Context, c backendCall, record *calls) (neutralResponse, error) {
	resp, err := s.current(ctx, c, record)
	s.noteOf(ctx, c, resp, err)
	return resp, err
}

// noteOf notes the outcome of a call: whether the backend accepts the identity, and for [site.report].
func (s *site) noteOf(ctx context.Context, c backendCall, resp neutralResponse, err error) {
	if err == nil && (!c.identity.Anonymous() || c.call.Secret()) {
		now := s.options.Clock()
		s.edge.CountSignIn(upstream.ClientOf(ctx), c.identity, c.call.Secret(), resp.reply.Status, now)
		s.accepted.learn(s.backend, c, resp, now)
	}
	if s.report != nil {
		s.report(ctx, c, resp, err)
	}
}

// send writes the response of a backend. The response to a read has an ETag of the body that the client sees.
// The response to a write has no ETag: the site transforms the values that it stores (RFC 9110, 9.3.4).
func (s *site) send(x *exchange, resp neutralResponse, id edge.Identity) {
	nonce := resp.reply.Header.Get("X-Wp-Nonce")
	if nonce != "" && id.Cookie != "" {
		resp.header["X-WP-Nonce"] = []string{nonce}
	}
	if resp.reply.Status < http.StatusBadRequest {
		resp.body.Body = x.target.fields.Of(resp.body.Body)
	}
	if !id.Anonymous() || x.target.secret || resp.old || !s.options.Freshness.Shares(resp.reply.Header) {
		private(resp.header)
	}
	if !x.target.call.Endpoint.Writes() && resp.reply.Status == http.StatusOK && resp.body.Body != nil {
		x.respondTagged(resp.header, resp.body.Body, etag(resp.body.Body))
		return
	}
	x.respond(resp.reply.Status, resp.header, resp.body.Body)
}

// uncached sets in Cache-Status why a request bypasses the cache.
func (s *site) uncached(x *exchange, why string) {
	if s.options.Cache != nil {
		x.out.Header()["Cache-Status"] = []string{"calfacade; fwd=" + why}
	}
}
