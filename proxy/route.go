package proxy

import (
	"net/http"
	"time"

	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/staging"
)

// route selects the backend of a request that may sign in.
func (f *Facade) route(x *exchange, id edge.Identity) error {
	if err := f.edge.AdmitSignIn(x.in, id, x.target.call.Secret(), f.options.Clock()); err != nil {
		return err
	}
	if err := f.look(x); err != nil {
		return err
	}
	if f.stage == nil || x.target.description != nil {
		return nil
	}
	tested, err := f.routeTester(x)
	if err == nil && !tested {
		x.via, _ = f.foresee(x, id)
		f.stage.count(x.target, x.via)
	}
	return err
}

// unknownRetry is the Retry-After of writes that are refused because the decisions are unknown.
const unknownRetry = 5 * time.Second

// look brings this process to the end of all purges and decisions. A write that
// read-only mode forbids by now is refused, and if there is a candidate also one for which the
// decisions are not known: it could be sent to a backend that clients no longer read from.
func (f *Facade) look(x *exchange) error {
	if f.options.Cache == nil {
		return nil
	}
	x.known = f.options.Cache.Look()
	switch {
	case !x.target.call.Endpoint.Writes():
		return nil
	case !x.known && f.stage != nil:
		return problem.ReadOnly(unknownRetry)
	}
	return f.edge.AdmitWrite(x.in, true)
}

// foresee selects the backend for the target of a request, and counts nothing. certain is false if
// it selected at random: the next time it may be the other one.
func (f *Facade) foresee(x *exchange, id edge.Identity) (to selection, certain bool) {
	s := f.stage
	if !s.candidate.hasLanguage(x.target.choice) {
		return selection{backend: f.legacy, key: x.target.legacyKey}, true
	}
	route, certain := s.options.Matrix.Foresee(s.id, s.cell(x.target.call, x.target.choice), f.canaryClient(x.in, id))
	return s.to(x.target, route), certain
}

// canaryClient identifies a client to a canary: by its credentials, else by its address.
func (f *Facade) canaryClient(r *http.Request, id edge.Identity) staging.Client {
	key := id.Authorization + id.Cookie
	if key == "" {
		key = f.edge.Name(r)
	}
	return staging.Client{Number: staging.NumberOf(key), Credentials: !id.Anonymous()}
}

// routeTester selects the candidate for a request with the token of testers. It returns false for
// all others, which the matrix routes. What testers send counts neither for the share of a canary
// nor for a rollback: both are about clients.
//
// A wrong token is an error. Served as if it had none, a tester's request would go to the legacy
// without notice, and a write would change what everybody sees.
func (f *Facade) routeTester(x *exchange) (tested bool, err error) {
	token, ok := f.stage.testerToken(x.in)
	if !ok {
		return false, nil
	}
	right, wait := f.options.Secrets.Check("tester", x.client(), token, f.stage.options.TesterToken)
	if !right {
		return false, problem.TesterRefused(wait)
	}
	x.tellBackend()
	if !f.stage.candidate.hasLanguage(x.target.choice) {
		return false, nil
	}
	x.tester, x.via = true, f.stage.to(x.target, staging.Route{Candidate: true})
	return true, nil
}

// tellBackend sets Server-Timing to the backend that serves a request, whatever the response, and
// keeps it out of all caches on the way, which get no keys of it.
func (x *exchange) tellBackend() {
	x.out.before = func() {
		h := x.out.Header()
		private(h)
		for _, name := range freshness.SurrogateFields {
			delete(h, name)
		}
		h["Server-Timing"] = []string{"backend;desc=" + x.via.backend.name}
	}
}
