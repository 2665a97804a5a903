package proxy

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// stage selects between the legacy and a candidate. Its methods may be called on nil, where
// there is no candidate.
type stage struct {
	options   StagingOptions
	site      i18n.Site
	legacy    *backend
	candidate *backend
	id        staging.Candidate // of the candidate in the matrix
	queue     *staging.Queue
	log       *zap.Logger

	differsLog rate.Sometimes
}

// unknownRetry is the Retry-After of writes that are refused because the decisions are unknown.
const unknownRetry = 5 * time.Second

// look brings this process to the end of what all instances have purged and decided. A write that
// read-only mode forbids by now is refused, and if there is a candidate also one for which the
// decisions are not known: it could be sent to a backend that clients no longer read from.
func (f *Facade) look(x *exchange) error {
	if f.options.Cache == nil {
		return nil
	}
	x.known = f.options.Cache.Look()
	switch {
	case !x.call.Endpoint.Writes():
		return nil
	case !x.known && f.stage != nil:
		return &problem.Error{Status: http.StatusServiceUnavailable, Code: "calendar_read_only", Header: problem.RetryAfter(unknownRetry)}
	}
	return f.edge.AdmitWrite(x.in, true)
}

// newStage returns the stage of a facade with these backends, of which the legacy is the first.
func newStage(o Options, backends []*backend) *stage {
	migration := o.Staging
	i := slices.IndexFunc(backends, func(b *backend) bool { return b.name == migration.Candidate })
	if migration.Candidate == "" || migration.Matrix == nil || i < 1 {
		return nil
	}
	return &stage{
		options: migration, site: o.Site, log: o.Log, differsLog: rate.Sometimes{Interval: differsLogEvery},
		legacy: backends[0], candidate: backends[i], id: o.Backends[i-1].Candidate(), queue: staging.NewQueue(migration.Shadow.Limits),
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
	return staging.Cell{Op: op, Resource: call.Endpoint.Resource, Language: s.site[choice.Index].Code}
}

// selection is the backend that serves a request.
type selection struct {
	backend *backend
	key     string        // of the call in the cache, at the backend
	route   staging.Route // that selected it; the zero Route is the legacy without a migration
}

// route selects the backend for a target.
func (s *stage) route(t *target, from staging.Client) selection {
	if !s.candidate.hasLanguage(t.choice) {
		return selection{backend: s.legacy, key: t.legacyKey}
	}
	return s.to(t, s.options.Matrix.Route(s.id, s.cell(t.call, t.choice), from))
}

// foresee selects the backend for a hit in the lane as route does, and counts nothing. certain is
// false if route selects at random.
func (f *Facade) foresee(x *exchange) (to selection, certain bool) {
	s := f.stage
	if s == nil || !s.candidate.hasLanguage(x.choice) {
		return selection{backend: f.legacy, key: x.legacyKey}, true
	}
	route, certain := s.options.Matrix.Foresee(s.id, s.cell(x.call, x.choice), f.canaryClient(x.in, identity.Identity{}))
	return s.to(x.target, route), certain
}

// count counts what foresee selected.
func (s *stage) count(t *target, to selection) {
	if s.candidate.hasLanguage(t.choice) {
		s.options.Matrix.Count(s.id, s.cell(t.call, t.choice), to.route)
	}
}

func (s *stage) to(t *target, by staging.Route) selection {
	if by.Candidate {
		return s.toCandidate(t, by)
	}
	return selection{s.legacy, t.legacyKey, by}
}

func (s *stage) toCandidate(t *target, route staging.Route) selection {
	return selection{s.candidate, s.candidate.shape + t.legacyKey[len(s.legacy.shape):], route}
}

// observe reports the outcome of a call on the candidate to the matrix, also one that a circuit
// breaker or the queue refused: the client got no response from the candidate. A call that its
// dialect does not support is none of the candidate's.
func (s *stage) observe(by *backend, c backendCall, got response, err error) {
	if s == nil || by != s.candidate || errors.Is(err, mapping.ErrNotSupported) {
		return
	}
	cell := s.cell(c.call, c.choice)
	if c.call.Endpoint.Writes() && mayHaveWritten(got, err) {
		s.options.Matrix.Wrote(s.id, cell)
	}
	s.options.Matrix.Answered(s.id, cell, isBackendFault(err))
}

// mayHaveWritten reports whether a write may have been made.
func mayHaveWritten(got response, err error) bool {
	if err != nil {
		return !errors.Is(err, upstream.ErrNotSent)
	}
	return got.reply.Status < http.StatusBadRequest
}

// isBackendFault reports whether err is a backend's fault. A client that closed the connection is
// not.
func isBackendFault(err error) bool {
	var e *problem.Error
	return errors.As(err, &e) && e.Status >= 500
}
