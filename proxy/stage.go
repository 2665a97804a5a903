package proxy

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// stage selects between the legacy and a candidate. Its methods may be called on nil, where
// there is no candidate.
type stage struct {
	options   StagingOptions
	legacy    *backend
	candidate *backend
	id        staging.Candidate // of the candidate in the matrix
	queue     *staging.Queue
	log       *zap.Logger

	differsLog rate.Sometimes
}

// differsLogEvery is how often the log has a record of a response that differs.
const differsLogEvery = time.Minute

// newStage returns the stage of a facade with these backends, the legacy first.
func newStage(o Options, backends []*backend) *stage {
	migration := o.Staging
	i := slices.IndexFunc(backends, func(b *backend) bool { return b.name == migration.Candidate })
	if migration.Candidate == "" || migration.Matrix == nil || i < 1 {
		return nil
	}
	return &stage{
		options: migration, log: o.Log, differsLog: rate.Sometimes{Interval: differsLogEvery},
		legacy: backends[0], candidate: backends[i], id: o.Backends[i-1].Candidate(), queue: staging.NewQueue(migration.Limits),
	}
}

func (s *stage) close() {
	if s != nil {
		s.queue.Close()
	}
}

// cell returns the cell of a call in the matrix.
func (s *stage) cell(call *mapping.Call, choice i18n.Choice) staging.Cell {
	op := staging.Read
	if call.Endpoint.Writes() {
		op = staging.Write
	}
	return staging.Cell{Op: op, Resource: call.Endpoint.Resource, Language: s.legacy.roots[choice.Index].Language}
}

// selection is the backend that serves a request.
type selection struct {
	backend *backend
	key     string        // of the call in the cache, at the backend
	route   staging.Route // that selected it; the zero Route is the legacy without a migration
}

// count counts what foresee selected.
func (s *stage) count(t *target, to selection) {
	if s.candidate.hasLanguage(t.choice) {
		s.options.Matrix.Count(s.id, s.cell(t.call, t.choice), to.route)
	}
}

func (s *stage) to(t *target, by staging.Route) selection {
	if by.Candidate {
		return selection{s.candidate, s.candidate.shape + t.legacyKey[len(s.legacy.shape):], by}
	}
	return selection{s.legacy, t.legacyKey, by}
}

// observe reports the outcome of a call on the candidate to the matrix, also one that a circuit
// breaker or the queue refused: the client got no response from the candidate. A call that its
// dialect does not support is none of the candidate's.
func (s *stage) observe(by *backend, c backendCall, got response, err error) {
	if s == nil || by != s.candidate || errors.Is(err, mapping.ErrNotSupported) {
		return
	}
	cell := s.cell(c.call, c.choice)
	if c.call.Endpoint.Writes() && !errors.Is(err, upstream.ErrNotSent) && got.reply.Status < http.StatusBadRequest {
		s.options.Matrix.Wrote(s.id, cell)
	}
	s.options.Matrix.Answered(s.id, cell, isBackendFault(err))
}

// isBackendFault reports whether err is a backend's fault. A client that closed the connection is
// not.
func isBackendFault(err error) bool {
	e, ok := errors.AsType[*problem.Error](err)
	return ok && e.Status >= 500
}

// A tester's request has [StagingOptions.TesterToken] in the field or, in browsers, in the cookie.
// Both names are fixed: the lane knows them, and so may a proxy in front.
const (
	testerField  = "X-Calfacade-Tester"
	testerCookie = "calfacade-tester"
)

// testerToken returns the token of a request. The field precedes the cookie.
func (s *stage) testerToken(r *http.Request) (token string, ok bool) {
	if s.options.TesterToken == "" {
		return "", false
	}
	if fields := r.Header[testerField]; fields != nil {
		return strings.Join(fields, ", "), true
	}
	if c, err := r.Cookie(testerCookie); err == nil {
		return c.Value, true
	}
	return "", false
}

// mayTest reports whether the value of a field Cookie may have a token, without the cost of
// parsing it.
func (s *stage) mayTest(cookies []byte) bool {
	return s != nil && s.options.TesterToken != "" && bytes.Contains(cookies, []byte(testerCookie+"="))
}
