package report

import (
	"strings"

	"github.com/calfacade/calfacade/mapping/compare"
)

// Report is all that a comparison has found, for people and programs.
type Report struct {
	Made      string          `json:"made,omitempty"` // when it ended
	Candidate string          `json:"candidate"`
	Sample    int             `json:"sample,omitempty"` // items of each list, about; 0 is all
	Verdict   Verdict         `json:"verdict"`
	Cells     []Tally         `json:"cells"`
	Groups    []compare.Group `json:"groups"`
	Overflow  int64           `json:"overflow,omitempty"` // differences of groups that there was no room for
	Failures  []Located       `json:"failures,omitempty"` // the first of them
}

// Verdict is what a comparison shows.
type Verdict string

// The verdicts.
const (
	Same     Verdict = "same"
	Differs  Verdict = "differs"
	Unproven Verdict = "unproven" // nothing differs in what could be compared
)

// Tally is what became of a cell.
type Tally struct {
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
	IDs       NamedIDs `json:"ids"`
}

// NamedIDs are the first of many.
type NamedIDs struct {
	Missing []string `json:"missing,omitempty"`
	Extra   []string `json:"extra,omitempty"`
}

// Located is a failure and where it was.
type Located struct {
	Language string `json:"language"`
	Resource string `json:"resource"`
	Failure
}

// Failure is a call without an answer, or another reason why something was not
// compared.
type Failure struct {
	Call string `json:"call"`
	Of   string `json:"of"` // the backend
	Why  string `json:"why"`
}

// MaxNamed is how many of many items are named.
const MaxNamed = 20

func ResourceOf(endpoint string) string {
	resource, _, _ := strings.Cut(endpoint, ".")
	return resource
}

// Sum adds the cells up.
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
	}
	return all
}
