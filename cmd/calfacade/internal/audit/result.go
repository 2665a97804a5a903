package audit

import (
	"cmp"
	"fmt"
	"io"

	"github.com/calfacade/calfacade/mapping/compare"
)

// Result has the counts and findings of an audit.
type Result struct {
	Audited   int       `json:"audited"`    // answers from a cache that were compared
	Stale     int       `json:"stale"`      // of these
	NotCached int       `json:"not_cached"` // answers that were fetched for the audit, which proves nothing
	Changed   int       `json:"changed"`    // answers that changed while they were audited, as by a purge
	Uncertain int       `json:"uncertain"`  // lists, with their items, that a canary serves from one site or the other
	Failed    int       `json:"failed"`     // calls without an answer of the facade or the site
	Failure   string    `json:"failure"`    // why the first of them has none; "" if none failed
	Findings  []Finding `json:"findings"`   // the stale answers
}

// Finding is a stale answer.
type Finding struct {
	Language    string               `json:"language"`
	Call        string               `json:"call"`
	Age         int                  `json:"age"`          // seconds since it was fetched
	CacheStatus string               `json:"cache_status"` // names the caches that it passed, the nearest to the site first
	Differences []compare.Difference `json:"differences"`
}

func (r *Result) fail(err error) {
	r.Failed++
	r.Failure = cmp.Or(r.Failure, err.Error())
}

// Count is a number of a result, by its label among the metrics.
type Count struct {
	Label string
	N     int
	what  string // in words, of answers that were not compared
}

// Counts returns each call of the sample in one number.
func (r Result) Counts() []Count {
	return []Count{
		{"same", r.Audited - r.Stale, ""},
		{"stale", r.Stale, ""},
		{"not_cached", r.NotCached, "answers were not cached"},
		{"changed", r.Changed, "answers changed meanwhile"},
		{"uncertain", r.Uncertain, "lists are served from either site, by a canary"},
		{"failed", r.Failed, "calls failed, the first: " + r.Failure},
	}
}

// maxPrinted limits the differences of a finding that are printed.
const maxPrinted = 5

// Print prints a result for people.
func (r Result) Print(w io.Writer) error {
	_, failed := fmt.Fprintf(w, "audited %d cached answers: %d stale\n", r.Audited, r.Stale)
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	for _, c := range r.Counts() {
		if c.N > 0 && c.what != "" {
			say("%d %s", c.N, c.what)
		}
	}
	for _, f := range r.Findings {
		say("stale: %s %s, %d s old, Cache-Status: %s", f.Language, f.Call, f.Age, cmp.Or(f.CacheStatus, "none"))
		for _, d := range f.Differences[:min(len(f.Differences), maxPrinted)] {
			say("  %s: %s", cmp.Or(d.Path, "the response"), d.Kind)
		}
		if more := len(f.Differences) - maxPrinted; more > 0 {
			say("  and %d more differences", more)
		}
	}
	return failed
}
