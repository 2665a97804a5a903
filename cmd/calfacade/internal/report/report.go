// Package report collects the differences between two sites, and writes them for a terminal and as
// files. A name that differs is one [Finding], whatever shows it: lists, items, and other items that
// have it inside. Findings at the same member of many items are one [Kind].
//
// Start reading at [Step], which a comparison gives to a [Collector]. Each difference comes with its
// cause (compare.Cause). repeated.go assigns a member that repeats another one to the cause of that
// one; weight.go rates findings; html.go, csv.go and print.go write the [Report].
package report

import "github.com/calfacade/calfacade/mapping/compare"

// Step is the comparison of an item, or of a page of a list.
type Step struct {
	Language  string     `json:"language"`
	Resource  string     `json:"resource"`
	ID        string     `json:"id,omitempty"` // of the item; "" for a list
	Compared  int        `json:"compared"`     // documents
	Documents []Document `json:"documents,omitempty"`
	Failed    []Failure  `json:"failed,omitempty"`
}

// Document is a response that differs.
type Document struct {
	Endpoint    string               `json:"endpoint"` // such as "events.list"
	Call        string               `json:"call"`     // path and query
	Legacy      Answer               `json:"legacy,omitzero"`
	Candidate   Answer               `json:"candidate,omitzero"`
	Differences []compare.Difference `json:"differences"`
	Noise       int                  `json:"noise,omitempty"` // differences between two responses of the legacy itself
}

// Answer locates the answer of a site.
type Answer struct {
	URL  string `json:"url,omitempty"`  // of the call to the site; "" where it is not known
	Page string `json:"page,omitempty"` // URL of the page for visitors; "" for a list, and where it is not known
}

// Report is the outcome of a comparison.
type Report struct {
	Made      string    `json:"made,omitempty"` // time of its end
	Candidate string    `json:"candidate"`
	Sample    int       `json:"sample,omitempty"` // items of each list, approximately; 0 means all
	Verdict   Verdict   `json:"verdict"`
	Headline  string    `json:"headline"`
	Cells     []Tally   `json:"cells"`
	Findings  []Finding `json:"findings"`           // the listed ones, serious ones first
	Kinds     []Kind    `json:"kinds"`              // likewise, and frequent ones before others
	Total     int       `json:"findings_total"`     // findings, also those that are not listed
	Failures  []Located `json:"failures,omitempty"` // the first of them

	// Known are the differences that staging.compare.known accepts, by kind.
	Known []compare.KnownCount `json:"known,omitempty"`
}

// Finding is one cause of differences.
type Finding struct {
	Language    string       `json:"language"`
	Resource    string       `json:"resource"`
	ID          string       `json:"id,omitempty"` // of the item on the legacy site; "" for a list
	Name        string       `json:"name,omitempty"`
	CandidateID string       `json:"candidate_id,omitempty"` // on the candidate, where it has another one
	Member      string       `json:"member,omitempty"`       // path in the item; "" for the whole item
	Kind        compare.Kind `json:"kind"`
	Weight      Weight       `json:"weight"`
	Want        string       `json:"want,omitempty"` // the legacy's value, cut around the difference
	Got         string       `json:"got,omitempty"`  // the candidate's, likewise
	URL         string       `json:"url,omitempty"`  // of the item or list at calfacade
	Legacy      Answer       `json:"legacy,omitzero"`
	Candidate   Answer       `json:"candidate,omitzero"`
	Responses   int          `json:"responses"` // that show it
	Calls       []string     `json:"calls"`     // the first of these

	last string // the call of the last response
	own  bool   // Legacy and Candidate are answers to a call for the item itself
}

// Kind is all findings of the same kind at the same member.
type Kind struct {
	Resource  string         `json:"resource"`
	Member    string         `json:"member,omitempty"`
	List      bool           `json:"list,omitempty"` // Member is of lists, and not of items
	Kind      compare.Kind   `json:"kind"`
	Weight    Weight         `json:"weight"`
	Findings  int            `json:"findings"`
	Listed    int            `json:"listed"` // of these
	Languages map[string]int `json:"languages"`
}

// has reports whether a finding is of the kind.
func (k *Kind) has(f *Finding) bool {
	return k.Resource == f.Resource && k.Member == f.Member && k.List == (f.ID == "") && k.Kind == f.Kind
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
	Language  string `json:"language"`
	Resource  string `json:"resource"`
	Items     int    `json:"items"`               // in the legacy's list
	Affected  int    `json:"affected"`            // items of the legacy with findings
	Findings  int    `json:"findings"`            // about items and the list
	Missing   int    `json:"missing"`             // items that the candidate's list lacks
	Extra     int    `json:"extra"`               // items that only the candidate's list has
	Failed    int    `json:"failed"`              // what could not be compared
	Compared  int    `json:"compared"`            // documents
	Noise     int    `json:"noise"`               // differences between two responses of the legacy itself
	Unaligned int    `json:"unaligned,omitempty"` // entries on different pages of the lists, compared as items only
}

// Failure is a call without a response, or another reason why something was not
// compared.
type Failure struct {
	Call string `json:"call"`
	Of   string `json:"of"` // the backend
	Why  string `json:"why"`
}

// Located is a failure with the list that it belongs to.
type Located struct {
	Language string `json:"language"`
	Resource string `json:"resource"`
	Failure
}

// maxFailures is the maximum number of failures that are listed.
const maxFailures = 50

// AppendFailures adds the failures of a step to the first failures.
func AppendFailures(all []Located, s Step) []Located {
	for _, f := range s.Failed[:min(len(s.Failed), maxFailures-len(all))] {
		all = append(all, Located{s.Language, s.Resource, f})
	}
	return all
}

// Sum returns the totals of all cells.
func (r *Report) Sum() Tally {
	all := Tally{Language: "all"}
	for _, t := range r.Cells {
		all.Items += t.Items
		all.Affected += t.Affected
		all.Findings += t.Findings
		all.Missing += t.Missing
		all.Extra += t.Extra
		all.Failed += t.Failed
		all.Compared += t.Compared
		all.Noise += t.Noise
		all.Unaligned += t.Unaligned
	}
	return all
}
