package main

import (
	"strings"

	"github.com/calfacade/calfacade/mapping/compare"
)

// result is what a comparison has found so far. Its memory is bounded.
type result struct {
	findings compare.Findings
	tallies  map[string]*tally // by cell
	order    []*tally
	failures []failureIn
}

// tally is what became of a cell.
type tally struct {
	Language  string   `json:"language"`
	Resource  string   `json:"resource"`
	Items     int      `json:"items"`               // in the legacy's list
	Compared  int64    `json:"compared"`            // documents
	Differing int64    `json:"differing"`           // of these
	Noise     int64    `json:"noise"`               // differences that the legacy has from itself
	Missing   int      `json:"missing"`             // items, from the candidate's list
	Extra     int      `json:"extra"`               // items, in it alone
	Failed    int      `json:"failed"`              // what could not be compared
	Unaligned int      `json:"unaligned,omitempty"` // entries that were compared as items alone, too far apart in the lists
	IDs       namedIDs `json:"ids"`
}

// namedIDs are the first of many.
type namedIDs struct {
	Missing []string `json:"missing,omitempty"`
	Extra   []string `json:"extra,omitempty"`
}

// failureIn is a failure and where it was.
type failureIn struct {
	Language string `json:"language"`
	Resource string `json:"resource"`
	failure
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

// report is all that a comparison has found, for people and programs.
type report struct {
	Made      string          `json:"made,omitempty"` // when it ended
	Candidate string          `json:"candidate"`
	Sample    int             `json:"sample,omitempty"` // items of each list, about; 0 is all
	Verdict   verdict         `json:"verdict"`
	Cells     []tally         `json:"cells"`
	Groups    []compare.Group `json:"groups"`
	Overflow  int64           `json:"overflow,omitempty"` // differences of groups that there was no room for
	Failures  []failureIn     `json:"failures,omitempty"` // the first of them
}

// verdict is what a comparison shows.
type verdict string

// The verdicts.
const (
	isSame   verdict = "same"
	differs  verdict = "differs"
	unproven verdict = "unproven" // nothing differs in what could be compared
)

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

func resourceOf(endpoint string) string {
	resource, _, _ := strings.Cut(endpoint, ".")
	return resource
}

// sum adds the cells up.
func (r report) sum() tally {
	all := tally{Language: "all"}
	for _, t := range r.Cells {
		all.Items += t.Items
		all.Compared += t.Compared
		all.Differing += t.Differing
		all.Noise += t.Noise
		all.Missing += t.Missing
		all.Extra += t.Extra
		all.Failed += t.Failed
	}
	return all
}
