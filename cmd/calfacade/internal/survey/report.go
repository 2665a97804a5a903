package survey

import (
	"fmt"

	"github.com/calfacade/calfacade/mapping/compare"
)

// Report is the outcome of a comparison.
type Report struct {
	Made      string  `json:"made,omitempty"` // time of its end
	Candidate string  `json:"candidate"`
	Sample    int     `json:"sample,omitempty"` // items of each list, approximately; 0 means all
	Verdict   Verdict `json:"verdict"`
	Headline  string  `json:"headline"`
	compare.Report
}

// Verdict is the result of a comparison.
type Verdict string

// The verdicts.
const (
	Same     Verdict = "same" // but for known differences
	Differs  Verdict = "differs"
	Unproven Verdict = "unproven" // no difference, but not everything could be compared
)

// newReport adds the verdict to what was found.
func newReport(found compare.Report) Report {
	r := Report{Verdict: Same, Report: found}
	switch {
	case r.Total > 0:
		r.Verdict = Differs
	case r.Sum().Failed > 0:
		r.Verdict = Unproven
	}
	r.Headline = r.headline()
	return r
}

// headline returns what the report means for the move. It has only what was measured.
func (r *Report) headline() string {
	serious := 0
	for _, g := range r.Groups {
		if g.Weight == compare.Serious {
			serious += g.Findings
		}
	}
	switch {
	case r.Verdict == Unproven:
		return "No difference was found, but not everything could be compared: this is no verdict."
	case serious > 0:
		return fmt.Sprintf("Not ready to move: %s.", compare.Plural(serious, "serious finding"))
	case r.Verdict == Differs:
		return "In what was compared, no item is missing, additional or unreadable, and no event is at another time. " +
			compare.Plural(r.Total, "other finding") + "."
	case len(r.Known) > 0:
		return "What was compared is the same, except for " + compare.Plural(len(r.Known), "known kind") + " of differences."
	}
	return "No difference was found in what was compared."
}
