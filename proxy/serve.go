package proxy

import (
	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// serve implements [handler]: through the cache if clients may share the response.
func (s *site) serve(x *exchange, id edge.Identity) error {
	call := x.target.call
	shared := s.options.Cache != nil && !call.Endpoint.Writes() && id.Anonymous() && !x.target.secret
	control := x.request.Header["Cache-Control"]
	if control != nil && onlyIfCached(control) && !call.Endpoint.Writes() {
		return s.serveStored(x, shared)
	}
	if !shared {
		return s.serveUncached(x, id)
	}
	result, err := s.read(x)
	if err == nil {
		s.respondEntry(x, result)
	}
	return err
}

// serveUncached serves a write, or a read whose response only its client may have.
func (s *site) serveUncached(x *exchange, id edge.Identity) error {
	writes := x.target.call.Endpoint.Writes()
	reason := "method"
	if !writes {
		x.outcome = telemetry.Bypass
		reason = "bypass"
	}
	s.uncached(x, reason)
	leave, err := s.edge.AdmitUncached(x.client(), writes)
	if err != nil {
		return err
	}
	defer leave()
	if writes {
		return s.write(x, id)
	}
	resp, err := s.ask(x, x, x.target.call.Whole(), id, upstream.Read)
	if err == nil {
		err = x.show(&resp)
	}
	if err != nil {
		return err
	}
	s.send(x, resp, id)
	return nil
}

// hit implements [handler].
func (s *site) hit(x *exchange, _ *lane.Request) (cache.Result, bool) {
	return s.options.Cache.Fresh(x.purgesKnown, x.key)
}

// served implements [handler].
func (s *site) served(*exchange) {}

// close implements [handler].
func (s *site) close() {}
