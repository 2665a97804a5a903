package proxy

import (
	"errors"
	"net/http"
	"slices"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
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
	trust     *edge.Trust
	legacy    *backend
	candidate *backend
	id        staging.Candidate // of the candidate in the matrix
	queue     *staging.Queue
	log       *zap.Logger
}

func newStage(o StagingOptions, f *Facade) *stage {
	i := slices.IndexFunc(f.backends, func(b *backend) bool { return b.name == o.Candidate })
	if o.Candidate == "" || o.Matrix == nil || i < 1 {
		return nil
	}
	return &stage{
		options: o, site: f.options.Site, trust: &f.edge.Trust, log: f.options.Log,
		legacy: f.legacy, candidate: f.backends[i], id: f.options.Backends[i-1].Candidate(), queue: staging.NewQueue(o.Shadow.Limits),
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

// route selects the backend for x.
func (s *stage) route(x *exchange, id identity.Identity) {
	if s == nil || !s.candidate.hasLanguage(x.choice) {
		return
	}
	x.route = s.options.Matrix.Route(s.id, s.cell(x.call, x.choice), staging.Bucket(s.canaryKey(x, id)))
	if x.route.Candidate {
		x.backend, x.key = s.candidate, s.candidate.shape+x.key[len(s.legacy.shape):]
	}
}

// canaryKey identifies a client to a canary: by its credentials, else by its address.
func (s *stage) canaryKey(x *exchange, id identity.Identity) string {
	if credentials := id.Authorization + id.Cookie; credentials != "" {
		return credentials
	}
	return s.trust.Name(x.in)
}

// fallBack reports whether the legacy has to serve a read that failed on the candidate.
func (x *exchange) fallBack(err error) bool {
	return x.route.Candidate && x.route.Fallback && !x.call.Endpoint.Writes() && failed(err) && x.out.status == 0
}

// toLegacy selects the legacy for x.
func (s *stage) toLegacy(x *exchange) {
	x.route.Candidate, x.backend = false, s.legacy
	x.fetched.Store(nil) // is in x.upstream
	x.key = s.legacy.shape + x.key[len(s.candidate.shape):]
}

// observe reports the outcome of a call on the candidate to the matrix. A call that its
// dialect does not support was not made.
func (s *stage) observe(by *backend, c backendCall, got response, err error) {
	if s == nil || by != s.candidate || errors.Is(err, mapping.ErrNotSupported) {
		return
	}
	cell := s.cell(c.call, c.choice)
	if c.call.Endpoint.Writes() && mayHaveWritten(got, err) {
		s.options.Matrix.Wrote(s.id, cell)
	}
	s.options.Matrix.Answered(s.id, cell, failed(err))
}

// mayHaveWritten reports whether a write may have been made.
func mayHaveWritten(got response, err error) bool {
	if err != nil {
		return !errors.Is(err, upstream.ErrNotSent)
	}
	return got.reply.Status < http.StatusBadRequest
}

// failed reports whether err is a backend's fault. A client that closed the connection is
// not.
func failed(err error) bool {
	var e *problem.Error
	return errors.As(err, &e) && e.Status >= 500
}
