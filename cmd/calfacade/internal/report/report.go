package report

import (
	"fmt"
	"strings"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/causes"
	"github.com/calfacade/calfacade/mapping/compare"
)

// Report is the outcome of a comparison.
type Report struct {
	Made      string          `json:"made,omitempty"` // time of its end
	Candidate string          `json:"candidate"`
	Sample    int             `json:"sample,omitempty"` // items of each list, approximately; 0 means all
	Verdict   Verdict         `json:"verdict"`
	Cells     []Tally         `json:"cells"`
	Groups    []compare.Group `json:"groups"`

	// Known are the differences that staging.compare.known accepts, by kind.
	Known []compare.KnownCount `json:"known,omitempty"`

	Overflow int64     `json:"overflow,omitempty"` // differences beyond the maximum number of groups
	Failures []Located `json:"failures,omitempty"` // the first of them

	causes.Result
	Summary  *Summary   `json:"summary,omitempty"` // see [Report.Summarize]
	Narrowed []Narrowed `json:"narrowed,omitempty"`
}

// Narrowed is a list of which a site refused the widest call, and which was compared by another one.
type Narrowed struct {
	Language string   `json:"language"`
	Resource string   `json:"resource"`
	Of       string   `json:"of"` // the backend
	Refused  string   `json:"refused"`
	Why      string   `json:"why"`
	Sent     string   `json:"sent"`              // to both
	Without  []string `json:"without,omitempty"` // parameters that show more, and were not sent
}

// Verdict is the result of a comparison.
type Verdict string

// The verdicts.
const (
	Same     Verdict = "same" // but for known differences
	Differs  Verdict = "differs"
	Unproven Verdict = "unproven" // no difference, but not everything could be compared
)

// Tally are the counts of a resource in a language.
type Tally struct {
	Language  string   `json:"language"`
	Resource  string   `json:"resource"`
	Items     int      `json:"items"`               // in the legacy's list
	Compared  int64    `json:"compared"`            // documents
	Differing int64    `json:"differing"`           // of these
	Noise     int64    `json:"noise"`               // differences between two responses of the legacy itself
	Missing   int      `json:"missing"`             // items that the candidate's list lacks
	Extra     int      `json:"extra"`               // items that only the candidate's list has
	Failed    int      `json:"failed"`              // what could not be compared
	Unaligned int      `json:"unaligned,omitempty"` // entries too far apart in the lists, compared as items only
	IDs       NamedIDs `json:"ids"`
	Affected  int      `json:"affected"` // items of the legacy with findings
	Findings  int      `json:"findings"`
}

// NamedIDs are the first missing and extra ids.
type NamedIDs struct {
	Missing []string `json:"missing,omitempty"`
	Extra   []string `json:"extra,omitempty"`
}

// Located is a failure with the list that it belongs to.
type Located struct {
	Language string `json:"language"`
	Resource string `json:"resource"`
	Failure
}

// Failure is a call without a response, or another reason why something was not
// compared.
type Failure struct {
	Call string `json:"call"`
	Of   string `json:"of"` // the backend
	Why  string `json:"why"`
}

// MaxNamed is the maximum number of items that are named.
const MaxNamed = 20

// ResourceOf returns the resource of an endpoint: of events.list it is events.
func ResourceOf(endpoint string) string {
	resource, _, _ := strings.Cut(endpoint, ".")
	return resource
}

// Outcome returns the verdict as text.
func (r Report) Outcome() string {
	if r.Verdict != Same || len(r.Known) == 0 {
		return string(r.Verdict)
	}
	kinds := "kinds"
	if len(r.Known) == 1 {
		kinds = "kind"
	}
	return fmt.Sprintf("%s but for the %d known %s of differences", r.Verdict, len(r.Known), kinds)
}

// Sum returns the totals of all cells.
func (r Report) Sum() Tally {
	all := Tally{Language: "all"}
	for _, t := range r.Cells {
		all.Items += t.Items
		all.Compared += t.Compared
		all.Differing += t.Differing
		all.Noise += t.Noise
		all.Missing += t.Missing
		all.Extra += t.Extra
		all.Failed += t.Failed
		all.Affected += t.Affected
		all.Findings += t.Findings
	}
	return all
}
