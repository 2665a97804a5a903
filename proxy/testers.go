package proxy

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/tester"
	"github.com/calfacade/calfacade/proxy/surrogate"
)

// routeTester selects the backend for a request with the token of a tester. It returns false
// for all others, which the matrix routes. What testers send counts neither for the share of a
// canary nor for a rollback: both are about clients.
//
// A token that is not valid is an error. Served as if it had none, a tester's request would go
// to the legacy without notice, and a write would change what everybody sees.
func (f *Facade) routeTester(x *exchange) (selection, bool, error) {
	s := f.stage
	pass, result := s.testers.Of(x.in.Header, f.options.Clock())
	if result == tester.None {
		return selection{}, false, nil
	}
	cell := s.cell(x.call, x.choice)
	switch {
	case result != tester.Candidate:
	case !s.candidate.hasLanguage(x.choice) || !pass.Covers(cell.Resource, cell.Language):
		result = tester.Uncovered
	case cell.Op == staging.Write && !pass.Writes:
		result = tester.ReadOnly
	}
	f.options.Metrics.Tester(result)
	switch result {
	case tester.Candidate:
		admitted := pass // only requests of testers allocate it
		x.calls.tester = &admitted
		x.tellBackend()
		return s.toCandidate(x.target, staging.Route{Candidate: true}), true, nil
	case tester.Uncovered:
		x.tellBackend()
		return selection{}, false, nil
	}
	return selection{}, false, f.refuseTester(x, result)
}

func (f *Facade) refuseTester(x *exchange, result tester.Result) error {
	refused := &problem.Error{Status: http.StatusForbidden, Code: "calendar_tester_refused", Header: http.Header{}}
	private(refused.Header)
	if result == tester.ReadOnly {
		refused.Code = "calendar_tester_read_only"
	} else if x.in.Header[tester.Field] == nil {
		refused.Header["Set-Cookie"] = f.stage.testers.ClearCookie() // the next request is that of any client
	}
	return refused
}

// testerRoots returns the roots of the languages. The public URL may have a path that a proxy in
// front removes.
func testerRoots(o Options) []tester.Root {
	public, err := url.Parse(o.PublicURL)
	if err != nil {
		public = &url.URL{}
	}
	var roots []tester.Root
	for _, l := range o.Site {
		roots = append(roots, tester.Root{Public: public.EscapedPath() + l.Root, Page: l.Root + "/" + mapping.Namespace + tester.PagePath, Language: i18n.Catalog(l.Code)})
	}
	return roots
}

// testerPage serves the page on which a browser becomes that of a tester, if x is for it. The
// path is of no row of the table.
func (f *Facade) testerPage(x *exchange) bool {
	if f.stage == nil || !f.stage.testers.HasPage(x.in) {
		return false
	}
	f.stage.testers.ServePage(&x.out, x.in, f.options.Clock(), f.stage.candidate.name)
	return true
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
// of those that cached responses depend on.
func (s *stage) testedFields(fields string) string {
	if s == nil {
		return fields
	}
	for _, field := range s.testers.Vary() {
		if !slices.Contains(strings.Split(fields, ", "), field) {
			fields += ", " + field
		}
	}
	return fields
}
