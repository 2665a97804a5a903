package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// migration is the switch in front of two sites, the legacy and a candidate. The migration selects the site of
// each request by the staging matrix, and reports to the matrix how the candidate answers.
type migration struct {
	comparisons
	tested *site // the candidate for testers: this site reports nothing
}

// isSwitch implements [Switch].
func (*StagingOptions) isSwitch() {}

// between implements [switcher]: without a candidate among the backends the legacy serves all.
func (o *StagingOptions) between(legacy *site, backends []*backend) handler {
	i := slices.IndexFunc(backends, func(b *backend) bool { return b.name == o.Candidate })
	if o.Candidate == "" || o.Matrix == nil || i < 1 {
		return legacy
	}
	name := zap.String("backend", backends[i].name)
	m := &migration{
		comparisons: comparisons{
			base:       legacy.base,
			legacy:     legacy,
			candidate:  newSite(legacy.base, backends[i], name),
			staging:    o,
			id:         CandidateOf(legacy.options.Backends[i-1]),
			queue:      staging.NewQueue(o.Limits),
			differsLog: rate.Sometimes{Interval: differsLogEvery},
		},
		tested: newSite(legacy.base, backends[i], name, zap.Bool("tester", true)),
	}
	m.legacy.report = m.sampleLegacy
	m.candidate.report = m.observe
	m.vary = m.edge.Vary(o.varies(m.options.Cookies))
	return m
}

// varies returns Vary of cached responses, with the fields that select the backend of a tester: a shared cache must
// not serve a tester the responses to others.
func (o *StagingOptions) varies(cookies bool) string {
	fields := varies(cookies)
	if o.TesterToken == "" {
		return fields
	}
	fields += ", " + testerField
	if !cookies {
		fields += ", Cookie"
	}
	return fields
}

// Dropped returns the number of comparisons of a facade that were dropped because the queue was full.
func (f *Facade) Dropped() uint64 {
	if m, ok := f.handler.(*migration); ok {
		return m.queue.Dropped()
	}
	return 0
}

// close implements [handler].
func (m *migration) close() { m.queue.Close() }

// CandidateOf identifies a backend in a [staging.Plan], by name and URLs. The mapping of ids and languages does
// not identify a backend: writes that were accepted with another mapping went to the same site.
func CandidateOf(b BackendOptions) staging.Candidate {
	return staging.Candidate{Name: b.Name, Place: fmt.Sprintf("%q", []any{b.Dialect.Dialect.Namespace, b.Upstreams})}
}

// unknownRetry is the Retry-After of writes that are refused because the decisions are unknown.
const unknownRetry = 5 * time.Second

// serve implements [handler]. A write is refused while the decisions are not known: the write could be sent to
// a site that clients no longer read from. The legacy serves a read that failed on the candidate, if the route
// has a fallback.
func (m *migration) serve(x *exchange, id edge.Identity) error {
	writes := x.target.call.Endpoint.Writes()
	switch {
	case x.target.description != nil:
		return m.legacy.serve(x, id)
	case writes && m.options.Cache != nil && !x.purgesKnown:
		return problem.ReadOnly(unknownRetry)
	}
	isTester, err := m.admitTester(x)
	if err != nil {
		return err
	}
	if isTester && m.hasLanguage(x.target.choice) {
		m.assign(x, m.tested)
		return m.tested.serve(x, id)
	}
	route, _ := m.choose(x, id)
	m.served(x)
	err = x.site.serve(x, id)
	if isBackendFault(err) && route.Candidate && route.Fallback && !writes && x.out.status == 0 {
		m.assign(x, m.legacy)
		x.fetched.Store(nil) // is in x.calls
		return m.legacy.serve(x, id)
	}
	return err
}

// hit implements [handler].
func (m *migration) hit(x *exchange, r *lane.Request) (cache.Result, bool) {
	if m.mayTest(r.Cookie) {
		return cache.Result{}, false
	}
	if _, ok := m.choose(x, edge.Identity{}); !ok {
		return cache.Result{}, false
	}
	return x.site.hit(x, r)
}

// served implements [handler], and counts the request.
func (m *migration) served(x *exchange) {
	if m.hasLanguage(x.target.choice) {
		route := staging.Route{Candidate: x.site == m.candidate}
		m.staging.Matrix.Count(m.id, m.cell(x.target.call, x.target.choice), route)
	}
}

// choose selects the site of a request, and counts nothing. certain is false after a random selection: the next
// time choose may select the other site.
func (m *migration) choose(x *exchange, id edge.Identity) (route staging.Route, certain bool) {
	certain = true
	if m.hasLanguage(x.target.choice) {
		cell := m.cell(x.target.call, x.target.choice)
		route, certain = m.staging.Matrix.Foresee(m.id, cell, m.canaryClient(x.request, id))
	}
	if route.Candidate {
		m.assign(x, m.candidate)
	} else {
		m.assign(x, m.legacy)
	}
	return route, certain
}

// assign makes s the site of a request.
func (m *migration) assign(x *exchange, s *site) {
	x.site = s
	x.key = x.target.key
	if s != m.legacy {
		x.key = s.key(x.target)
	}
}

// canaryClient identifies a client to a canary: by its credentials, else by its address.
func (m *migration) canaryClient(r *http.Request, id edge.Identity) staging.Client {
	key := id.Authorization + id.Cookie
	if key == "" {
		key = m.edge.Name(r)
	}
	return staging.Client{Number: staging.NumberOf(key), Credentials: !id.Anonymous()}
}

// observe reports the outcome of a call on the candidate to the matrix, also one that a circuit breaker or the
// queue refused: the client got no response from the candidate. A call that the candidate's dialect does not
// support does not count.
func (m *migration) observe(ctx context.Context, c backendCall, resp neutralResponse, err error) {
	if errors.Is(err, mapping.ErrNotSupported) {
		return
	}
	cell := m.cell(c.call, c.choice)
	if c.call.Endpoint.Writes() && !errors.Is(err, upstream.ErrNotSent) && resp.reply.Status < http.StatusBadRequest {
		m.staging.Matrix.Wrote(m.id, cell)
	}
	m.staging.Matrix.Answered(m.id, cell, isBackendFault(err))
	if err == nil {
		m.sample(ctx, m.candidate, c, resp)
	}
}

// sampleLegacy samples a response of the legacy.
func (m *migration) sampleLegacy(ctx context.Context, c backendCall, resp neutralResponse, err error) {
	if err == nil {
		m.sample(ctx, m.legacy, c, resp)
	}
}

// A tester's request has [StagingOptions.TesterToken] in the field or, in browsers, in the cookie.
// Both names are fixed: the lane knows them, and so may a proxy in front.
const (
	testerField  = "X-Calfacade-Tester"
	testerCookie = "calfacade-tester"
)

// admitTester reports whether a request has the token of testers. Requests of testers count neither for the
// share of a canary nor for a rollback: both are about clients.
//
// A wrong token is an error. Without the error, a tester's request would go to the legacy without notice, and a
// write would change what everybody sees.
func (m *migration) admitTester(x *exchange) (isTester bool, err error) {
	token, ok := m.testerToken(x.request)
	if !ok {
		return false, nil
	}
	isRight, wait := m.options.Secrets.Check("tester", x.client(), token, m.staging.TesterToken)
	if !isRight {
		return false, problem.TesterRefused(wait)
	}
	x.nameBackend()
	return true, nil
}

// testerToken returns the token of a request. The field precedes the cookie.
func (m *migration) testerToken(r *http.Request) (token string, ok bool) {
	if m.staging.TesterToken == "" {
		return "", false
	}
	fields := r.Header[testerField]
	if fields != nil {
		return strings.Join(fields, ", "), true
	}
	if c, err := r.Cookie(testerCookie); err == nil {
		return c.Value, true
	}
	return "", false
}

// mayTest reports whether the value of a field Cookie may have a token, without the cost of parsing the value.
func (m *migration) mayTest(cookies []byte) bool {
	return cookies != nil && m.staging.TesterToken != "" && bytes.Contains(cookies, []byte(testerCookie+"="))
}

// nameBackend sets Server-Timing to the backend that serves a request, whatever the response, and keeps the
// response out of all caches on the way, which get no surrogate keys.
func (x *exchange) nameBackend() {
	x.out.beforeHeader = func() {
		h := x.out.Header()
		private(h)
		for _, name := range freshness.SurrogateFields {
			delete(h, name)
		}
		h["Server-Timing"] = []string{"backend;desc=" + x.site.backend.name}
	}
}
