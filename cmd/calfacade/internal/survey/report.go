package survey

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

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

// Weight is how much a finding matters to visitors.
type Weight string

// The weights, the most important first.
const (
	Serious   Weight = "serious"   // an item is missing, additional or unreadable, or an event is at another time
	Visible   Weight = "visible"   // texts, links, images, and what belongs to an item
	Technical Weight = "technical" // the rest, which programs read
)

// Weights are all weights, the most important first.
var Weights = []Weight{Serious, Visible, Technical}

// rank returns the position of a weight in the order.
func (w Weight) rank() int {
	for i := range Weights {
		if Weights[i] == w {
			return i
		}
	}
	return len(Weights)
}

// weigh returns the weight of a kind of difference at a member of an item or, without an id, of a
// list.
func weigh(resource, id, member string, kind compare.Kind) Weight {
	switch {
	case member == "":
		return Serious
	case id == "":
		return Visible
	}
	weight := Technical
	for _, a := range attributes(resource, member) {
		switch {
		case a.When:
			return Serious
		case a.Resource != "", a.Class == mapping.Prose, a.Class == mapping.Email, a.Class == mapping.PageLink, a.Class == mapping.Website:
			weight = Visible
		}
	}
	return weight
}

// attributes returns the attributes of the table that the path of a member names.
func attributes(resource, member string) []*mapping.Attribute {
	s := shapeOf(resource)
	var all []*mapping.Attribute
	for name := range strings.SplitSeq(member, ".") {
		a, _ := s.Find([]byte(strings.TrimRight(name, "[]")), 0)
		all = append(all, a)
		s = a.Shape
	}
	return all
}

// shapeOf returns the shape of an item; nil for an unknown resource.
func shapeOf(resource string) *mapping.Shape {
	for i := range mapping.Table {
		if e := &mapping.Table[i]; e.Resource == resource && e.Action == mapping.Read {
			return e.Result
		}
	}
	return nil
}

// Outcome returns the verdict as text.
func (r *Report) Outcome() string {
	if r.Verdict != Same || len(r.Known) == 0 {
		return string(r.Verdict)
	}
	return fmt.Sprintf("%s but for the %s of differences", r.Verdict, plural(len(r.Known), "known kind"))
}

// headline returns what the report means for the move. It has only what was measured.
func (r *Report) headline() string {
	serious := 0
	for i := range r.Kinds {
		if r.Kinds[i].Weight == Serious {
			serious += r.Kinds[i].Findings
		}
	}
	switch {
	case r.Verdict == Unproven:
		return "No difference was found, but not everything could be compared: this is no verdict."
	case serious > 0:
		return fmt.Sprintf("Not ready to move: %s.", plural(serious, "serious finding"))
	case r.Verdict == Differs:
		return "In what was compared, no item is missing, additional or unreadable, and no event is at another time. " +
			plural(r.Total, "other finding") + "."
	case len(r.Known) > 0:
		return "What was compared is the same, except for " + plural(len(r.Known), "known kind") + " of differences."
	}
	return "No difference was found in what was compared."
}

// Same returns the share of the items without findings, in percent, such as "99.9 %". It is rounded
// down: 100 % is all of them.
func (t Tally) Same() string {
	if t.Items == 0 {
		return "-"
	}
	permille := (t.Items - min(t.Affected, t.Items)) * 1000 / t.Items
	return strings.TrimSuffix(fmt.Sprintf("%d.%d", permille/10, permille%10), ".0") + " %"
}

// Phrase returns a kind of findings in words.
func (k *Kind) Phrase() string {
	items := plural(k.Findings, mapping.Singular(k.Resource))
	if k.List {
		items = plural(k.Findings, "list") + " of " + k.Resource
	}
	areIs := "are"
	if k.Findings == 1 {
		areIs = "is"
	}
	switch {
	case k.Kind == compare.Order && k.List:
		return items + " in another order"
	case k.Member != "":
		return fmt.Sprintf("%s of %s %s", k.Member, items, predicates[k.Kind])
	case k.Kind == compare.Missing:
		return fmt.Sprintf("%s %s missing on the candidate", items, areIs)
	case k.Kind == compare.Extra:
		return fmt.Sprintf("%s %s only on the candidate", items, areIs)
	}
	return items + " answered with another status or form"
}

// predicates are the kinds of differences in words.
var predicates = map[compare.Kind]string{
	compare.Missing: "is missing on the candidate", compare.Extra: "is only on the candidate", compare.Type: "has another type",
	compare.Order: "has another order", compare.Value: "differs", compare.Status: "differs",
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

func plural(n int, noun string) string {
	if n != 1 {
		if rest, ok := strings.CutSuffix(noun, "y"); ok {
			noun = rest + "ie"
		}
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// seen is a difference in the responses to the calls of a step.
type seen struct {
	*Step
	*Document
	compare.Difference
}

// assign completes the causes of the differences of a step. A difference that repeats another one of
// the same response has the cause of that one. An item that cannot be read by its slug, because it
// has another one, has the cause of the slug.
func assign(all []seen) {
	for i := range all {
		all[i].complete()
	}
	own := slices.Clone(all)
	for i := range all {
		if source := sourceOf(own, i); source >= 0 {
			all[i].Cause = own[source].Cause
		}
	}
}

// complete adds to the cause what follows from the call, and not from the document.
func (s *seen) complete() {
	c := &s.Cause
	resource, _, _ := strings.Cut(s.Endpoint, ".")
	if c.Resource == "" {
		c.Resource, c.Member = resource, s.Path
	}
	if c.ID == "" && c.Resource == resource {
		c.ID = s.ID
	}
}

// sourceOf returns the index of the difference that the one at i repeats; -1 for none.
func sourceOf(all []seen, i int) int {
	s := &all[i]
	if s.Kind == compare.Status {
		return slices.IndexFunc(all, func(other seen) bool {
			return strings.HasSuffix(s.Endpoint, bySlug) && other.Cause.Member == mapping.SlugParam.Name
		})
	}
	found := -1
	for _, path := range sources(s) {
		for j := range all {
			other := &all[j]
			if other.Call != s.Call || s.Item != "" && other.Item != s.Item || !below(other.Path, path) {
				continue
			}
			if own := !strings.Contains(s.Cause.Member, "."); own && other.Kind != s.Kind {
				continue // it may differ for another reason
			}
			if other.Cause.Values == s.Cause.Values {
				return j
			}
			if found < 0 {
				found = j
			}
		}
	}
	return found
}

// bySlug ends the names of endpoints that read by slug.
const bySlug = "_by_slug"

// sources returns the paths of the members that a difference repeats, in its response.
func sources(s *seen) []string {
	if s.Cause.Member == "" || !strings.HasSuffix(s.Path, s.Cause.Member) {
		return nil
	}
	prefix := strings.TrimSuffix(s.Path, s.Cause.Member)
	var all []string
	for _, a := range attributes(s.Cause.Resource, s.Cause.Member) {
		for _, name := range a.Repeats {
			all = append(all, prefix+name)
		}
		if all != nil {
			break
		}
	}
	return all
}

// below reports whether a path is top, or below it.
func below(path, top string) bool {
	rest, ok := strings.CutPrefix(path, top)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
