package proxy

import (
	"context"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// ask makes a call for a request alone.
func (s *site) ask(ctx context.Context, x *exchange, call *mapping.Call, id edge.Identity, class upstream.Class) (response, error) {
	return s.obtain(ctx, backendCall{
		call: call, choice: x.target.choice, identity: id, class: class, request: x.id, description: x.target.description,
	}, &x.calls)
}

// obtain calls the backend, and reports the call. It adds the call to made.
func (s *site) obtain(ctx context.Context, c backendCall, made *calls) (response, error) {
	got, err := s.current(ctx, c, made)
	if err == nil {
		now := s.options.Clock()
		s.edge.CountSignIn(upstream.ClientOf(ctx), c.identity, c.call.Secret(), got.reply.Status, now)
		s.accepted.learn(s.backend, c, got, now)
	}
	if s.report != nil {
		s.report(ctx, c, got, err)
	}
	return got, err
}

// send writes the response of a backend. The response to a read has an ETag of the body that its
// client sees. The response to a write has none: the site transforms what it stores (RFC 9110,
// 9.3.4).
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

// read makes a read that a write needs. A response that the write cannot use is the client's: read
// sends it, and returns errAnswered.
func (s *site) read(x *exchange, call *mapping.Call, id edge.Identity) (response, error) {
	got, err := s.ask(x, x, call, id, upstream.Write)
	if err != nil {
		return got, err
	}
	unknown := x.target.call.UnknownTerms(call, got.reply.Status)
	switch {
	case got.reply.Status == http.StatusOK:
		return got, nil
	case id.Anonymous() && (unknown != nil || got.reply.Status == http.StatusForbidden && call.Endpoint.HidesItem(got.reply.Body)):
		return got, problem.Unauthorized() // as if there were no read
	case unknown != nil && x.target.OldNames:
		return got, nil // the site leaves it out
	case unknown != nil:
		return got, unknown
	}
	s.send(x, got, id)
	return got, errAnswered
}

// uncached sets in Cache-Status why a request bypasses the cache.
func (s *site) uncached(x *exchange, why string) {
	if s.options.Cache != nil {
		x.out.Header()["Cache-Status"] = []string{"calfacade; fwd=" + why}
	}
}
