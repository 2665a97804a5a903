package proxy

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/surrogate"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// A tester's request has [StagingOptions.TesterToken] in the field or, in browsers, in the cookie.
// Both names are fixed: the lane knows them, and so may a proxy in front.
const (
	testerField  = "X-Calfacade-Tester"
	testerCookie = "calfacade-tester"
)

// routeTester selects the candidate for a request with the token of testers. It returns false for
// all others, which the matrix routes. What testers send counts neither for the share of a canary
// nor for a rollback: both are about clients.
//
// A wrong token is an error. Served as if it had none, a tester's request would go to the legacy
// without notice, and a write would change what everybody sees.
func (f *Facade) routeTester(x *exchange) (to selection, tested bool, err error) {
	token, ok := f.stage.testerToken(x.in.Header)
	if !ok {
		return to, false, nil
	}
	right, wait := f.options.Secrets.Check(telemetry.TesterPlace, x.client(), token, f.stage.options.TesterToken)
	if !right {
		refused := &problem.Error{Status: http.StatusForbidden, Code: "calendar_tester_refused", Header: http.Header{}}
		if wait > 0 {
			refused = &problem.Error{Status: http.StatusTooManyRequests, Code: "calendar_rate_limited", Header: problem.RetryAfter(wait)}
		}
		private(refused.Header)
		return to, false, refused
	}
	if x.tellBackend(); !f.stage.candidate.hasLanguage(x.choice) {
		return to, false, nil
	}
	x.calls.tester = true
	return f.stage.toCandidate(x.target, staging.Route{Candidate: true}), true, nil
}

// testerToken returns the token of a request. The field precedes the cookie.
func (s *stage) testerToken(h http.Header) (token string, ok bool) {
	if s.options.TesterToken == "" {
		return "", false
	}
	if fields := h[testerField]; fields != nil {
		return strings.Join(fields, ", "), true
	}
	for _, line := range h["Cookie"] {
		if s.mayTest([]byte(line)) {
			for _, c := range (&http.Request{Header: http.Header{"Cookie": {line}}}).CookiesNamed(testerCookie) {
				return c.Value, true
			}
		}
	}
	return "", false
}

// mayTest reports whether the value of a field Cookie may have a token, without the cost of
// parsing it.
func (s *stage) mayTest(cookies []byte) bool {
	return s != nil && s.options.TesterToken != "" && bytes.Contains(cookies, []byte(testerCookie+"="))
}

// tellBackend adds the backend that serves a request to Server-Timing, whatever the response,
// and keeps it out of all caches on the way, which get no keys of it.
func (x *exchange) tellBackend() {
	before := x.out.before
	x.out.before = func() {
		if before != nil {
			before()
		}
		h := x.out.Header()
		private(h)
		for _, name := range surrogate.Fields {
			delete(h, name)
		}
		h.Add("Server-Timing", "backend;desc="+x.backend.name)
	}
}

// testedFields adds the request header fields that select the backend of a tester to a list
// of those that cached responses depend on: a shared cache must not serve a tester what it stored
// for others.
func (s *stage) testedFields(fields string) string {
	if s == nil || s.options.TesterToken == "" {
		return fields
	}
	for _, field := range []string{testerField, "Cookie"} {
		if !slices.Contains(strings.Split(fields, ", "), field) {
			fields += ", " + field
		}
	}
	return fields
}
