package survey

import (
	"strings"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/causes"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/report"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// step is a finding: about an item, a page of both lists, or the lists as a whole.
type step struct {
	Name   string           `json:"step"`
	End    bool             `json:"end,omitempty"`  // the last step of its name
	Same   []string         `json:"same,omitempty"` // endpoints of equal documents
	Found  []finding        `json:"told,omitempty"` // of the others
	Also   []finding        `json:"also,omitempty"` // of documents of items that the candidate's list lacks, for its cause alone
	Sent   *report.Narrowed `json:"sent,omitempty"` // for a list whose widest call a site refused
	Failed []report.Failure `json:"failed,omitempty"`
	Expect *expected        `json:"expect,omitempty"` // of the first page of a list
	Row    *row             `json:"row,omitempty"`    // of a whole list
}

// finding is the comparison of a document that differs.
type finding struct {
	Endpoint    string               `json:"endpoint"`
	Call        string               `json:"call"`
	Differences []compare.Difference `json:"differences,omitempty"`
	Noise       int                  `json:"noise,omitempty"`

	Legacy    causes.Answer       `json:"legacy,omitzero"`
	Candidate causes.Answer       `json:"candidate,omitzero"`
	documents [2]compare.Document // of both, until their sources are stored
}

// row is the comparison of two lists as a whole.
type row struct {
	Items     []named  `json:"items"`               // of the legacy site
	Missing   []string `json:"missing,omitempty"`   // of these, those that the candidate's list lacks
	Extra     int      `json:"extra,omitempty"`     // items that only the candidate's list has
	Examples  []string `json:"examples,omitempty"`  // of these
	Unaligned int      `json:"unaligned,omitempty"` // entries too far apart in the lists to be compared
}

// expected is the amount of work that the legacy's list announces.
type expected struct {
	Pages int `json:"pages"`
	Items int `json:"items"`
}

// listStep is what steps about lists are called.
const listStep = "list"

func stepOf(c cell, what string) string { return c.String() + " " + what }

// The backends in failures.
const (
	ofLegacy    = "legacy"
	ofCandidate = "candidate"
)

// maxWhy is the maximum length of an error in a failure, in bytes.
const maxWhy = 300

// fail adds a failure of a call to a backend, if err is not nil.
func (s *step) fail(call *mapping.Call, of string, err error) {
	if err != nil {
		s.Failed = append(s.Failed, report.Failure{Call: lineOf(call), Of: of, Why: short(err.Error())})
	}
}

// short returns the beginning of the text of an error.
func short(why string) string { return strings.ToValidUTF8(why[:min(len(why), maxWhy)], "") }

// lastStep is the name of the last step of a journal.
const lastStep = "done"
