package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// Report has the findings so far.
type Report struct {
	Tallies  []Tally        `json:"cells"`
	Findings []Finding      `json:"findings"`           // the listed ones, serious ones first
	Groups   []Group        `json:"kinds"`              // likewise, and frequent ones before others
	Total    int            `json:"findings_total"`     // findings, also those that are not listed
	Failures []Failure      `json:"failures,omitempty"` // the first of them
	Known    map[string]int `json:"known,omitempty"`    // differences that are no findings, by name
}

// Finding is one cause of differences.
type Finding struct {
	Language string `json:"language"`
	Subject
	ID          string   `json:"id,omitempty"`           // of the item on the legacy site; "" for a list
	Name        string   `json:"name,omitempty"`         // of the item; "" if unknown
	CandidateID string   `json:"candidate_id,omitempty"` // on the candidate, where it has another one
	Want        string   `json:"want,omitempty"`         // the legacy's value, cut around the difference
	Got         string   `json:"got,omitempty"`          // the candidate's, likewise
	URL         string   `json:"url,omitempty"`          // of the item or list at calfacade
	Legacy      Answer   `json:"legacy,omitzero"`
	Candidate   Answer   `json:"candidate,omitzero"`
	Responses   int      `json:"responses"` // that show the finding
	Calls       []string `json:"calls"`     // the first of these

	last       uint64 // hash of the call of the last response
	isItemRead bool   // Legacy and Candidate are answers to a call for the item itself
}

// Answer locates the answer of a site.
type Answer struct {
	URL  string `json:"url,omitempty"`  // of the call to the site; "" where it is not known
	Page string `json:"page,omitempty"` // URL of the page for visitors; "" for a list, and where it is not known
}

// Group is all findings with the same subject.
type Group struct {
	Subject
	Findings  int            `json:"findings"`
	Listed    int            `json:"listed"` // of these
	Languages map[string]int `json:"languages"`
}

// Subject is the member of items, or of lists, that differs in one way.
type Subject struct {
	Resource string `json:"resource"`
	Member   string `json:"member,omitempty"` // path in the item; "" for the whole item
	List     bool   `json:"list,omitempty"`   // Member is of lists, and not of items
	Kind     Kind   `json:"kind"`
	Weight   Weight `json:"weight"`
}

// compare orders subjects by weight, the most important first, and then by their names.
func (s Subject) compare(o Subject) int {
	byWeight := cmp.Compare(s.Weight.rank(), o.Weight.rank())
	byResource := cmp.Compare(s.Resource, o.Resource)
	byMember := cmp.Compare(s.Member, o.Member)
	byKind := cmp.Compare(s.Kind, o.Kind)
	return cmp.Or(byWeight, byResource, byMember, byKind)
}

// Of returns the first listed findings of a group.
func (r *Report) Of(g Group, limit int) (findings []*Finding) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if len(findings) < limit && f.Subject == g.Subject {
			findings = append(findings, f)
		}
	}
	return findings
}

// Tally are the counts of a resource in a language.
type Tally struct {
	Language string `json:"language"`
	Resource string `json:"resource"`
	Items    int    `json:"items"`    // in the legacy's list
	Affected int    `json:"affected"` // items of the legacy with findings
	Findings int    `json:"findings"` // about items and the list
	Failed   int    `json:"failed"`   // failed comparisons
	Compared int    `json:"compared"` // responses
	Noise    int    `json:"noise"`    // differences between two responses of the legacy
}

// Sum returns the totals of all tallies.
func (r *Report) Sum() Tally {
	total := Tally{Language: "all"}
	for _, t := range r.Tallies {
		total.Items += t.Items
		total.Affected += t.Affected
		total.Findings += t.Findings
		total.Failed += t.Failed
		total.Compared += t.Compared
		total.Noise += t.Noise
	}
	return total
}

// Same returns the share of the items without findings, in percent, such as "99.9 %". The share is rounded
// down: 100 % means all items.
func (t Tally) Same() string {
	if t.Items == 0 {
		return "-"
	}
	permille := (t.Items - min(t.Affected, t.Items)) * 1000 / t.Items
	return strings.TrimSuffix(fmt.Sprintf("%d.%d", permille/10, permille%10), ".0") + " %"
}

// Failure is a call without a response, or another reason why something was not compared.
type Failure struct {
	Language string `json:"language"`
	Resource string `json:"resource"`
	Call     string `json:"call"`
	Of       string `json:"of"` // the backend
	Why      string `json:"why"`
}

// Weight is how much a finding matters to visitors.
type Weight string

// The weights.
const (
	Serious   Weight = "serious"   // an item is missing, additional or unreadable, or an event is at another time
	Visible   Weight = "visible"   // texts, links, images, and the parts of an item
	Technical Weight = "technical" // the rest, which programs read
)

// rank returns the position of a weight, the most important first.
func (w Weight) rank() int { return slices.Index([]Weight{Serious, Visible, Technical}, w) }

// weigh returns the weight of a difference at a member of an item or, without an id, of a list.
func weigh(resource, id, member string) Weight {
	switch {
	case member == "":
		return Serious
	case id == "":
		return Visible
	}
	weight := Technical
	var shape *mapping.Shape
	e := rowOf(resource + ".read")
	if e != nil {
		shape = e.Result
	}
	for name := range strings.SplitSeq(member, ".") {
		a, _ := shape.Find([]byte(strings.TrimRight(name, "[]")), 0)
		switch {
		case a.When:
			return Serious
		case a.Resource != "", a.Class == mapping.Prose, a.Class == mapping.Email, a.Class == mapping.PageLink, a.Class == mapping.Website:
			weight = Visible
		}
		shape = a.Shape
	}
	return weight
}

// Title returns the item of a finding as people call it, such as "Open day (20096)".
func (f *Finding) Title() string {
	switch {
	case f.ID == "":
		return "list"
	case f.Name == "":
		return f.ID
	}
	return fmt.Sprintf("%s (%s)", f.Name, f.ID)
}

// predicates are the kinds of differences in words.
var predicates = map[Kind]string{
	Missing: "missing on the candidate", Extra: "only on the candidate", Type: "another type", Order: "another order",
	Value: "another value", Status: "answered with another status",
}

// Phrase returns the subject of a group in words, such as "start_date of events: another value".
func (g Group) Phrase() string {
	subject := g.Resource
	if g.List {
		subject = "lists of " + subject
	}
	if g.Member != "" && g.Member != g.Resource {
		subject = g.Member + " of " + subject
	}
	return subject + ": " + predicates[g.Kind]
}
