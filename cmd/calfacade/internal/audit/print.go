package audit

import (
	"cmp"
	"fmt"
	"io"
)

// maxPrinted limits the differences of a finding that are printed.
const maxPrinted = 5

// Print prints a result for people.
func (r Result) Print(w io.Writer) error {
	var failed error
	say := func(format string, args ...any) {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		failed = cmp.Or(failed, err)
	}
	say("audited %d cached answers: %d stale", r.Audited, r.Stale)
	if r.Audited > 0 {
		say("%.0f in a million, %.0f to %.0f by the 95 %% Wilson score interval", r.PerMillion, r.Low, r.High)
	}
	for _, other := range []struct {
		n    int
		what string
	}{
		{r.NotCached, "answers were not cached"}, {r.Changed, "answers changed meanwhile"},
		{r.Uncertain, "lists are served from either site, by a canary"}, {r.Failed, "calls failed, the first: " + r.Failure},
	} {
		if other.n > 0 {
			say("%d %s", other.n, other.what)
		}
	}
	for _, f := range r.Findings {
		say("stale: %s %s, %d s old", f.Language, f.Call, f.Age)
		for _, d := range f.Differences[:min(len(f.Differences), maxPrinted)] {
			say("  %s: %s", cmp.Or(d.Path, "the response"), d.Kind)
		}
		if more := len(f.Differences) - maxPrinted; more > 0 {
			say("  and %d more differences", more)
		}
	}
	return failed
}
