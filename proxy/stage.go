package proxy

import (
	"errors"
	"fmt"
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

// StagingOptions say how calls move from the legacy to a candidate. The zero value
// is not at all.
type StagingOptions struct {
	Candidate string          // name of a backend
	Matrix    *staging.Matrix // who answers what; it outlives the facade
	Shadow    ShadowOptions
}

// stage is the way from the legacy to a candidate. A nil one is that there is none.
type stage struct {
	options   StagingOptions
	site      i18n.Site
	trust     *edge.Trust
	legacy    *backend
	candidate *backend
	who       staging.Candidate // the candidate, to the matrix
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
		legacy: f.legacy, candidate: f.backends[i], who: f.options.Backends[i-1].Candidate(), queue: staging.NewQueue(o.Shadow.Limits),
	}
}

// Candidate is what the backend is called in a [staging.Plan]. It is another one where its
// calls go elsewhere. How it is told ids and languages is not in it: a write that an
// earlier configuration has accepted belongs to the same site.
func (b BackendOptions) Candidate() staging.Candidate {
	return staging.Candidate{Name: b.Name, Place: fmt.Sprintf("%q", []any{b.Speech.Place(), b.Upstreams})}
}

func (s *stage) close() {
	if s != nil {
		s.queue.Close()
	}
}

// cell is the place of a call in the matrix.
func (s *stage) cell(call *mapping.Call, choice i18n.Choice) staging.Cell {
	op := staging.Read
	if call.Endpoint.Writes() {
		op = staging.Write
	}
	return staging.Cell{Op: op, Resource: call.Endpoint.Resource, Language: s.site[choice.Index].Code}
}

// route decides which backend answers x.
func (s *stage) route(x *exchange, who identity.Identity) {
	if s == nil || !s.candidate.speaks(x.choice) {
		return
	}
	x.route = s.options.Matrix.Route(s.who, s.cell(x.call, x.choice), staging.Bucket(s.client(x, who)))
	if x.route.Candidate {
		x.backend, x.key = s.candidate, s.candidate.shape+x.key[len(s.legacy.shape):]
	}
}

// client is who a canary knows again: somebody who signs in, wherever from, else
// the address.
func (s *stage) client(x *exchange, who identity.Identity) string {
	if id := who.Authorization + who.Cookie; id != "" {
		return id
	}
	return s.trust.Name(x.in)
}

// fallBack reports whether the legacy is to answer what the candidate failed to.
func (x *exchange) fallBack(err error) bool {
	return x.route.Candidate && x.route.Fallback && !x.call.Endpoint.Writes() && failed(err) && x.out.status == 0
}

// toLegacy has the legacy answer x.
func (s *stage) toLegacy(x *exchange) {
	x.route.Candidate, x.backend = false, s.legacy
	x.fetched.Store(nil) // has been told
	x.key = s.legacy.shape + x.key[len(s.candidate.shape):]
}

// answered tells the matrix how a call on the candidate ended. One that its dialect
// has no words for was not made.
func (s *stage) answered(by *backend, q question, got answer, err error) {
	if s == nil || by != s.candidate || errors.Is(err, mapping.ErrNotSupported) {
		return
	}
	cell := s.cell(q.call, q.choice)
	if q.call.Endpoint.Writes() && mayHaveWritten(got, err) {
		s.options.Matrix.Wrote(s.who, cell)
	}
	s.options.Matrix.Answered(s.who, cell, failed(err))
}

// mayHaveWritten reports whether a write was made, as far as can be known.
func mayHaveWritten(got answer, err error) bool {
	if err != nil {
		return !errors.Is(err, upstream.ErrNotSent)
	}
	return got.reply.Status < http.StatusBadRequest
}

// failed reports whether err is a backend's fault. A client that hung up is none.
func failed(err error) bool {
	var e *problem.Error
	return errors.As(err, &e) && e.Status >= 500
}
