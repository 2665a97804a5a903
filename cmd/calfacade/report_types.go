package main

import (
	"strings"

	"github.com/calfacade/calfacade/mapping/compare"
)

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

// failure is a call without an answer, or another reason why something was not
// compared.
type failure struct {
	Call string `json:"call"`
	Of   string `json:"of"` // the backend
	Why  string `json:"why"`
}

// maxNamed is how many of many items are named.
const maxNamed = 20

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
