package audit

import (
	"bytes"
	"context"
	"time"

	"github.com/calfacade/calfacade/mapping/compare"
)

// suspect is an answer that differs.
type suspect struct {
	step
	was   Answer
	found []compare.Difference
}

// Run audits the sample. An answer that differs from two reads of the site is stale if the instance still
// sends it after Wait.
func (c *Check) Run(ctx context.Context) (Result, error) {
	r := Result{Findings: []Finding{}}
	steps := c.steps(ctx, &r)
	var suspects []suspect
	audited := 0
	for _, s := range steps[:min(len(steps), c.Sample)] {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		is, ok := c.examine(ctx, s, &r)
		if is != nil {
			suspects = append(suspects, *is)
		} else if ok {
			audited++
		}
	}
	if len(suspects) > 0 {
		select {
		case <-time.After(c.Wait):
		case <-ctx.Done():
			return r, ctx.Err()
		}
	}
	for _, s := range suspects {
		c.confirm(ctx, s, &r)
	}
	r.Estimate = estimateOf(uint64(len(r.Findings)), uint64(audited+len(r.Findings)))
	return r, nil
}

// examine compares one answer. ok reports that it is what the site says.
func (c *Check) examine(ctx context.Context, s step, r *Result) (is *suspect, ok bool) {
	got := c.ask(ctx, s)
	switch {
	case got.err != nil:
		r.fail(got.err)
		return nil, false
	case !got.Cached:
		r.NotCached++
		return nil, false
	}
	endpoint := s.call.Endpoint.Name()
	first, err := c.read(ctx, s)
	if err == nil && len(c.Comparer.Documents(endpoint, first, got.Document)) == 0 {
		return nil, true
	}
	var again compare.Document
	if err == nil {
		again, err = c.read(ctx, s)
	}
	if err != nil {
		r.fail(err)
		return nil, false
	}
	found, _ := c.Comparer.Real(endpoint, first, again, got.Document)
	if len(found) == 0 {
		return nil, true
	}
	return &suspect{s, got.Answer, found}, false
}

// confirm makes a suspect a finding if the instance still sends the answer.
func (c *Check) confirm(ctx context.Context, s suspect, r *Result) {
	now, err := c.Instance(ctx, s.call, s.language)
	switch {
	case err != nil:
		r.fail(err)
	case !now.Cached || now.Status != s.was.Status || !bytes.Equal(now.Body, s.was.Body):
		r.Changed++
	default:
		r.Findings = append(r.Findings, Finding{s.language, lineOf(s.call), int(now.Age / time.Second), s.found})
	}
}
