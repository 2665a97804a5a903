package causes

import (
	"strings"

	"github.com/calfacade/calfacade/mapping/compare"
)

// Seen is a difference in the responses to one call.
type Seen struct {
	Language string
	Endpoint string // such as "events.list"
	Call     string // path and query
	Item     string // id of the item that the call reads; "" for a list
	compare.Difference
	Legacy, Candidate Answer
}

// Answer is what a site answered to a call.
type Answer struct {
	URL  string `json:"url,omitempty"`  // of the call to the site; "" where it is not known
	Page string `json:"page,omitempty"` // URL of the page for visitors; "" for a list, and where it is not known
	File string `json:"file,omitempty"` // with the answer, below the directory of the report; "" where it is not stored
}

// Finding is one cause of differences.
type Finding struct {
	Language    string       `json:"language"`
	Resource    string       `json:"resource"`
	ID          string       `json:"id,omitempty"`           // of the item on the legacy site; "" for a list
	CandidateID string       `json:"candidate_id,omitempty"` // on the candidate, where it has another one
	Member      string       `json:"member,omitempty"`       // path in the item; "" for the whole item
	Kind        compare.Kind `json:"kind"`
	Weight      Weight       `json:"weight"`
	Want        string       `json:"want,omitempty"` // the legacy's value, cut around the difference
	Got         string       `json:"got,omitempty"`  // the candidate's, likewise
	URL         string       `json:"url,omitempty"`  // of the item or list at calfacade
	Responses   int          `json:"responses"`      // that show it
	Views       []View       `json:"views"`          // the first of these
	Repeated    []Repeated   `json:"repeated,omitempty"`
}

// View is a response that shows a finding.
type View struct {
	Endpoint  string `json:"endpoint"`
	Call      string `json:"call"`
	Path      string `json:"path,omitempty"` // in the response
	URL       string `json:"url,omitempty"`  // at calfacade
	Legacy    Answer `json:"legacy,omitzero"`
	Candidate Answer `json:"candidate,omitzero"`
}

// Repeated is another member that shows a finding in another form.
type Repeated struct {
	Member string `json:"member"`
	Want   string `json:"want,omitempty"`
	Got    string `json:"got,omitempty"`
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
	Examples  []string       `json:"examples,omitempty"` // language and id of the first
}

// Result is what a [Collector] has collected.
type Result struct {
	Findings  []Finding `json:"findings"`            // the listed ones, serious ones first
	Kinds     []Kind    `json:"kinds"`               // likewise, and frequent ones before others
	Total     int       `json:"findings_total"`      // findings, also those that are not listed
	Ungrouped int64     `json:"ungrouped,omitempty"` // differences that exceed the limits of the collector
}

// Of returns the kind that a finding is of.
func (k Kind) Of(f *Finding) bool {
	return k.Resource == f.Resource && k.Member == f.Member && k.List == (f.ID == "") && k.Kind == f.Kind
}

// Affected are the items of a list that findings are about, apart from those that the candidate
// alone has.
type Affected struct{ Items, Findings int }

// Best returns the response that shows the finding best: that to a call for the item, whose URLs are
// known, rather than a list.
func (f Finding) Best() View {
	var best View
	for i, v := range f.Views {
		if i == 0 || best.Legacy.URL == "" || best.Legacy.File == "" && v.Legacy.File != "" || f.ID != "" && strings.HasSuffix(best.Endpoint, ".list") && v.Legacy.URL != "" {
			best = v
		}
	}
	return best
}
