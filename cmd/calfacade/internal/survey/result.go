package survey

import (
	"slices"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/causes"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/report"
	"github.com/calfacade/calfacade/mapping/compare"
)

// result accumulates the findings of a comparison, in bounded memory.
type result struct {
	findings compare.Findings
	causes   causes.Collector
	narrowed []report.Narrowed
	tallies  map[string]*report.Tally // by cell
	order    []*report.Tally
	failures []report.Located
}

// maxFailures is the maximum number of failures that are listed.
const maxFailures = 50

func newResult(cells []cell) *result {
	r := &result{tallies: map[string]*report.Tally{}}
	for _, c := range cells {
		t := &report.Tally{Language: c.language, Resource: c.resource()}
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
	for _, of := range s.Found {
		r.findings.Compared(of.Endpoint, c.language)
		r.findings.Noise(of.Endpoint, c.language, of.Noise)
		r.findings.Add(compare.Where{Endpoint: of.Endpoint, Language: c.language, Call: of.Call}, of.Differences)
	}
	r.causes.Add(seen(c, s))
	if s.Sent != nil {
		r.narrowed = append(r.narrowed, *s.Sent)
	}
	t.Failed += len(s.Failed)
	for _, f := range s.Failed[:min(len(s.Failed), maxFailures-len(r.failures))] {
		r.failures = append(r.failures, report.Located{Language: c.language, Resource: c.resource(), Failure: f})
	}
	if s.Row != nil {
		t.Items, t.Missing, t.Extra, t.Unaligned = len(s.Row.Items), len(s.Row.Missing), s.Row.Extra, s.Row.Unaligned
		t.IDs = report.NamedIDs{Missing: s.Row.Missing[:min(t.Missing, report.MaxNamed)], Extra: s.Row.Examples}
	}
}

// seen returns the differences of a step for the collector of causes.
func seen(c cell, s step) (all []causes.Seen) {
	id := c.idIn(s)
	for _, f := range slices.Concat(s.Found, s.Also) {
		for _, d := range f.Differences {
			all = append(all, causes.Seen{
				Language: c.language, Endpoint: f.Endpoint, Call: f.Call, Item: id, Difference: d, Legacy: f.Legacy, Candidate: f.Candidate,
			})
		}
	}
	return all
}

func (r *result) report() report.Report {
	found := r.findings.Snapshot()
	out := report.Report{
		Groups: found.Groups, Known: found.Known, Overflow: found.Overflow, Failures: r.failures, Verdict: report.Same,
		Result: r.causes.Result(), Narrowed: r.narrowed,
	}
	failed := 0
	for _, t := range r.order {
		one := *t
		affected := r.causes.Affected(t.Language, t.Resource)
		one.Affected, one.Findings = affected.Items, affected.Findings
		for _, c := range found.Counts {
			if c.Language == t.Language && report.ResourceOf(c.Endpoint) == t.Resource {
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
		out.Verdict = report.Differs
	case failed > 0:
		out.Verdict = report.Unproven
	}
	return out
}
