package audit

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// Auditor compares a facade with its sites.
type Auditor struct {
	// Facade makes a call at the facade, or at a cache in front of it.
	Facade func(ctx context.Context, call *mapping.Call, language string) (compare.Document, http.Header, error)

	Site      func(resource, language string) survey.Reader // reads the backend that serves the reads; nil: a canary decides which
	Languages []string
	Sample    int           // calls
	Wait      time.Duration // how long the purge of a change may take
	Comparer  *compare.Comparer
	Limit     *rate.Limiter // of the calls to sites, with those that the facade makes for the audit
}

// suspect is an answer that differs.
type suspect struct {
	step
	was   answer
	found []compare.Difference
}

// Run audits a sample. An answer that differs from two reads of the site is stale if it is still sent
// after Wait.
func (a *Auditor) Run(ctx context.Context) (Result, error) {
	r := Result{Findings: []Finding{}}
	steps := a.steps(ctx, &r)
	var suspects []suspect
	for _, s := range steps[:min(len(steps), a.Sample)] {
		if is := a.examine(ctx, s, &r); is != nil {
			suspects = append(suspects, *is)
		}
	}
	if len(suspects) > 0 {
		select {
		case <-time.After(a.Wait):
		case <-ctx.Done():
		}
	}
	for _, s := range suspects {
		a.confirm(ctx, s, &r)
	}
	r.Stale = len(r.Findings)
	return r, ctx.Err()
}

// examine compares an answer. It returns one that differs.
func (a *Auditor) examine(ctx context.Context, s step, r *Result) *suspect {
	got := a.ask(ctx, s)
	switch {
	case got.err != nil:
		r.fail(got.err)
		return nil
	case !got.cached():
		r.NotCached++
		return nil
	}
	endpoint := s.call.Endpoint.Name()
	first, err := a.read(ctx, s)
	if err != nil {
		r.fail(err)
		return nil
	}
	found := a.Comparer.Documents(endpoint, first, got.Document)
	if len(found) > 0 {
		again, err := a.read(ctx, s)
		if err != nil {
			r.fail(err)
			return nil
		}
		found, _ = a.Comparer.Real(endpoint, first, again, got.Document)
	}
	if len(found) == 0 {
		r.Audited++
		return nil
	}
	return &suspect{s, got, found}
}

// confirm makes a suspect a finding if it is still sent.
func (a *Auditor) confirm(ctx context.Context, s suspect, r *Result) {
	s.asked = nil
	now := a.ask(ctx, s.step)
	switch {
	case now.err != nil:
		r.fail(now.err)
	case !now.cached() || now.Status != s.was.Status || !bytes.Equal(now.Body, s.was.Body):
		r.Changed++
	default:
		r.Audited++
		r.Findings = append(r.Findings, Finding{s.language, survey.LineOf(s.call), now.age(), now.header.Get(cacheStatus), s.found})
	}
}
