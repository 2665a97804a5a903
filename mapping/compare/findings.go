package compare

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/calfacade/calfacade/mapping"
)

// Findings group the differences of many responses: differences with the same cause are one [Finding],
// independent of the response, and findings at the same member of many items are one [Group]. They depend only
// on the steps and their order. They are safe for concurrent use; the zero value is empty. Memory is bounded.
type Findings struct {
	Most int // findings that are listed; 0 means 500

	mu     sync.Mutex
	report Report         // without groups, and with findings in the order of the steps
	causes map[uint64]int // index of the finding by hash; unlisted for others, and for items with findings
	groups map[Subject]*Group
}

const unlisted = -1

// The limits of the findings. Causes beyond a limit are counted once for each response.
const (
	defaultListed = 500
	listedShare   = 10 // a group has this part of the listed findings at most
	causesFor     = 40 // causes and items that are distinguished, for each finding that may be listed
	maxGroups     = 500
	maxCalls      = 6  // in a finding
	maxFailures   = 50 // that are listed
)

// Step is the comparison of an item, or of a page of a list.
type Step struct {
	Language, Resource string
	ID                 string     // of the item; "" for a list
	Items              int        // of a list, see [Tally]
	Compared           int        // responses
	Responses          []Response // the ones that differ
	Failed             []Failure
}

// Response is a response that differs.
type Response struct {
	Endpoint, Call    string // such as "events.list"; path and query
	Legacy, Candidate Answer
	Result
}

// tally returns the counts of a resource in a language, until the next call. The first calls determine the
// order in the report.
func (f *Findings) tally(language, resource string) *Tally {
	tallies := f.report.Tallies
	i := slices.IndexFunc(tallies, func(t Tally) bool { return t.Language == language && t.Resource == resource })
	if i < 0 {
		i = len(tallies)
		f.report.Tallies = append(tallies, Tally{Language: language, Resource: resource})
	}
	return &f.report.Tallies[i]
}

// Add adds a step.
func (f *Findings) Add(s Step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.causes == nil {
		f.Most = cmp.Or(f.Most, defaultListed)
		f.causes = map[uint64]int{}
		f.groups = map[Subject]*Group{}
		f.report.Known = map[string]int{}
	}
	t := f.tally(s.Language, s.Resource)
	t.Items += s.Items
	t.Compared += s.Compared
	t.Failed += len(s.Failed)
	f.report.Failures = append(f.report.Failures, s.Failed[:min(len(s.Failed), maxFailures-len(f.report.Failures))]...)
	var occurrences []occurrence
	for i := range s.Responses {
		r := &s.Responses[i]
		t.Noise += len(r.Noise)
		for _, d := range r.Differences {
			occurrences = append(occurrences, occurrence{Step: &s, Response: r, Difference: d})
		}
		for name, n := range r.Known {
			f.report.Known[name] += n
		}
	}
	assign(occurrences)
	for i := range occurrences {
		f.find(&occurrences[i])
	}
}

// occurrence is a difference in the responses of a step.
type occurrence struct {
	*Step
	*Response
	Difference
}

// assign completes the causes of the differences of a step: only the call has the id of an item without an id
// in the document. A failed read by slug, of an item with another slug, shows the difference of the slug.
func assign(occurrences []occurrence) {
	var slug *Difference
	for i := range occurrences {
		s := &occurrences[i]
		c := &occurrences[i].Cause
		if c.ID == "" && c.Resource == s.Resource {
			c.ID = s.ID
		}
		if c.Member == mapping.SlugParam.Name {
			slug = &s.Difference
		}
	}
	for i := range occurrences {
		s := &occurrences[i]
		if slug != nil && s.Kind == Status && strings.HasSuffix(s.Endpoint, bySlug) {
			s.Difference = *slug
		}
	}
}

// bySlug ends the names of endpoints that read by slug.
const bySlug = "_by_slug"

// find adds a difference to a finding. An item that cannot be read because the item is missing, as the list has
// shown, is one finding.
func (f *Findings) find(s *occurrence) {
	key := keyOf(s.Language, s.Difference)
	if s.Kind == Status {
		missing := keyOf(s.Language, Difference{Kind: Missing, Cause: Cause{Resource: s.Cause.Resource, ID: s.Cause.ID}})
		if _, ok := f.causes[missing]; ok {
			key = missing
		}
	}
	index, again := f.causes[key]
	if !again {
		index = f.begin(s)
		if len(f.causes) < causesFor*f.Most {
			f.causes[key] = index
		}
	}
	if index != unlisted {
		f.report.Findings[index].add(s)
	}
}

// keyOf returns the hash of a finding. The values of a member belong to the hash: an item may lack several
// tags. Other texts depend on the call: each page shows another order, and a read by slug another status.
func keyOf(language string, d Difference) uint64 {
	key := Difference{Kind: d.Kind, Cause: d.Cause}
	if d.Kind != Order && d.Cause.Member != "" {
		key.Want = d.Want
		key.Got = d.Got
	}
	return maphash.Comparable(seed, struct {
		string
		Difference
	}{language, key})
}

// begin counts a new finding, lists the finding if there is room, and returns the index.
func (f *Findings) begin(s *occurrence) int {
	id := s.Cause.ID
	t := f.tally(s.Language, s.Cause.Resource)
	t.Findings++
	f.report.Total++
	isExtra := s.Cause.Member == "" && s.Kind == Extra
	if id != "" && !isExtra {
		item := keyOf(s.Language, Difference{Cause: Cause{Resource: s.Cause.Resource, ID: id}})
		if _, ok := f.causes[item]; !ok && len(f.causes) < causesFor*f.Most {
			f.causes[item] = unlisted
			t.Affected++
		}
	}
	g := f.group(s)
	g.Findings++
	g.Languages[s.Language]++
	n := len(f.report.Findings)
	if g.Listed == f.Most/listedShare || n == f.Most {
		return unlisted
	}
	g.Listed++
	f.report.Findings = append(f.report.Findings, Finding{Language: s.Language, Subject: g.Subject, ID: id, Want: s.Want, Got: s.Got})
	return n
}

// group returns the group of a finding. Members beyond the maximum are one.
func (f *Findings) group(s *occurrence) *Group {
	c := s.Cause
	key := Subject{
		Resource: c.Resource,
		Member:   c.Member,
		List:     c.ID == "",
		Kind:     s.Kind,
		Weight:   weigh(c.Resource, c.ID, c.Member),
	}
	if f.groups[key] == nil && len(f.groups) >= maxGroups {
		key.Member = "(others)"
	}
	if f.groups[key] == nil {
		f.groups[key] = &Group{Subject: key, Languages: map[string]int{}}
	}
	return f.groups[key]
}

// add adds a response that shows the finding.
func (f *Finding) add(s *occurrence) {
	call := maphash.String(seed, s.Call)
	if call == f.last {
		return
	}
	f.last = call
	f.Responses++
	isItemRead := f.ID != "" && s.ID == f.ID && s.Resource == f.Resource
	if len(f.Calls) == 0 || isItemRead && !f.isItemRead {
		f.Legacy = s.Legacy
		f.Candidate = s.Candidate
		f.isItemRead = isItemRead
	}
	if len(f.Calls) < maxCalls {
		f.Calls = append(f.Calls, printable(s.Call))
	}
}

// Snapshot returns the findings so far, in an order that depends only on the content.
func (f *Findings) Snapshot() Report {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.report
	r.Tallies = append([]Tally{}, r.Tallies...)
	r.Findings = append([]Finding{}, r.Findings...)
	r.Groups = []Group{}
	r.Failures = slices.Clone(r.Failures)
	r.Known = maps.Clone(r.Known)
	for _, g := range f.groups {
		r.Groups = append(r.Groups, *g)
		r.Groups[len(r.Groups)-1].Languages = maps.Clone(g.Languages)
	}
	slices.SortFunc(r.Groups, func(a, b Group) int {
		byWeight := cmp.Compare(a.Weight.rank(), b.Weight.rank())
		byFindings := cmp.Compare(b.Findings, a.Findings)
		bySubject := a.compare(b.Subject)
		return cmp.Or(byWeight, byFindings, bySubject)
	})
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		bySubject := a.compare(b.Subject)
		byLanguage := cmp.Compare(a.Language, b.Language)
		return cmp.Or(bySubject, byLanguage)
	})
	return r
}
