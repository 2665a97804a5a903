package main

import (
	"github.com/calfacade/calfacade/mapping/compare"
)

// result is what a comparison has found so far. Its memory is bounded.
type result struct {
	findings compare.Findings
	tallies  map[string]*tally // by cell
	order    []*tally
	failures []failureIn
}

// maxFailures is how many of them are told one by one.
const maxFailures = 50

func newResult(cells []cell) *result {
	r := &result{tallies: map[string]*tally{}}
	for _, c := range cells {
		t := &tally{Language: c.language, Resource: c.resource()}
		r.tallies[c.String()] = t
		r.order = append(r.order, t)
	}
	return r
}

func (r *result) take(c cell, s step) {
	t := r.tallies[c.String()]
	for _, endpoint := range s.Same {
		r.findings.Compared(endpoint, c.language)
	}
	for _, of := range s.Told {
		r.findings.Compared(of.Endpoint, c.language)
		r.findings.Noise(of.Endpoint, c.language, of.Noise)
		r.findings.Add(compare.Where{Endpoint: of.Endpoint, Language: c.language, Call: of.Call}, of.Differences)
	}
	t.Failed += len(s.Failed)
	for _, f := range s.Failed[:min(len(s.Failed), maxFailures-len(r.failures))] {
		r.failures = append(r.failures, failureIn{c.language, c.resource(), f})
	}
	if s.Row != nil {
		t.Items, t.Missing, t.Extra, t.Unaligned = len(s.Row.Items), len(s.Row.Missing), s.Row.Extra, s.Row.Unaligned
		t.IDs = namedIDs{s.Row.Missing[:min(t.Missing, maxNamed)], s.Row.Examples}
	}
}

func (r *result) report() report {
	found := r.findings.Snapshot()
	out := report{Groups: found.Groups, Overflow: found.Overflow, Failures: r.failures, Verdict: isSame}
	failed := 0
	for _, t := range r.order {
		one := *t
		for _, c := range found.Counts {
			if c.Language == t.Language && resourceOf(c.Endpoint) == t.Resource {
				one.Compared += c.Documents
				one.Differing += c.Differing
				one.Noise += c.Noise
			}
		}
		out.Cells = append(out.Cells, one)
		failed += t.Failed
	}
	switch {
	case len(found.Groups) > 0:
		out.Verdict = differs
	case failed > 0:
		out.Verdict = unproven
	}
	return out
}
