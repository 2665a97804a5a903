package survey

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/calfacade/calfacade/mapping/compare"
)

// DiffReport is the outcome of a comparison.
type DiffReport struct {
	Made      string  `json:"made,omitempty"` // time of the end
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

// newReport adds the verdict to the findings, and the consequence for the move. The report has only measured
// values.
func newReport(counts compare.Report) DiffReport {
	serious := 0
	for _, g := range counts.Groups {
		if g.Weight == compare.Serious {
			serious += g.Findings
		}
	}
	r := DiffReport{Verdict: Differs, Report: counts}
	switch {
	case serious > 0:
		r.Headline = fmt.Sprintf("Not ready to move: %s.", english.Plural(serious, "serious finding", ""))
	case r.Total > 0:
		r.Headline = "In what was compared, no item is missing, additional or unreadable, and no event is at another time. " +
			english.Plural(r.Total, "other finding", "") + "."
	case r.Sum().Failed > 0:
		r.Verdict = Unproven
		r.Headline = "No difference was found, but not everything could be compared: this is no verdict."
	case len(r.Known) > 0:
		r.Verdict = Same
		r.Headline = "What was compared is the same, except for " + english.Plural(len(r.Known), "known kind", "") +
			" of differences."
	default:
		r.Verdict = Same
		r.Headline = "No difference was found in what was compared."
	}
	return r
}
