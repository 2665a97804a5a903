package survey

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping/compare"
)

// The maximum numbers of findings that are listed, of kinds, and of calls in a finding. Of a finding
// that is not listed, a hash remains.
const (
	maxListed = 10_000
	maxOfKind = 1000
	maxKinds  = 500
	maxCalls  = 6
)

// Collector groups differences. It is not safe for concurrent use. What it collects depends only on
// the steps and their order.
type Collector struct {
	Name        func(language, resource, id string) string // of an item
	CandidateID func(resource, id string) string           // id on the candidate; nil for the same
	URL         func(language, call string) string         // of a call at calfacade; nil if it has none

	report   Report
	seed     maphash.Seed
	tallies  []*Tally
	known    map[string]*compare.KnownCount
	affected map[uint64]struct{} // hashes of items
	causes   map[uint64]*Finding // by hash; nil for one that is not listed
	listed   []*Finding
	kinds    map[kindKey]*Kind
}

type kindKey struct {
	resource, member string
	list             bool
	kind             compare.Kind
}

// NewCollector returns an empty collector.
func NewCollector() *Collector {
	return &Collector{
		seed: maphash.MakeSeed(), known: map[string]*compare.KnownCount{},
		affected: map[uint64]struct{}{}, causes: map[uint64]*Finding{}, kinds: map[kindKey]*Kind{},
	}
}

// Tally returns the counts of a resource in a language. Calls determine the order in the report.
func (c *Collector) Tally(language, resource string) *Tally {
	for _, t := range c.tallies {
		if t.Language == language && t.Resource == resource {
			return t
		}
	}
	t := &Tally{Language: language, Resource: resource}
	c.tallies = append(c.tallies, t)
	return t
}

// Add adds a step.
func (c *Collector) Add(s Step) {
	t := c.Tally(s.Language, s.Resource)
	t.Compared += s.Compared
	t.Failed += len(s.Failed)
	c.report.Failures = AppendFailures(c.report.Failures, s)
	var all []seen
	for i := range s.Documents {
		d := &s.Documents[i]
		t.Noise += d.Noise
		for _, one := range d.Differences {
			if one.Known != "" {
				c.count(one)
				continue
			}
			all = append(all, seen{Step: &s, Document: d, Difference: one})
		}
	}
	assign(all)
	for i := range all {
		c.find(&all[i])
	}
}

// count counts a known difference.
func (c *Collector) count(d compare.Difference) {
	k := c.known[d.Known]
	if k == nil {
		k = &compare.KnownCount{Name: d.Known}
		c.known[d.Known] = k
	}
	k.Count += int64(d.Times)
	k.Documents++
}

// find adds a difference to its finding.
func (c *Collector) find(s *seen) {
	key := maphash.Comparable(c.seed, struct {
		language string
		compare.Cause
	}{s.Language, s.Cause})
	f, again := c.causes[key]
	if !again {
		f = c.begin(s)
		c.causes[key] = f
	}
	if f != nil {
		f.add(s)
	}
}

// begin counts a new finding, and lists it if there is room.
func (c *Collector) begin(s *seen) *Finding {
	id, whole := s.Cause.ID, s.Cause.Member == ""
	t := c.Tally(s.Language, s.Cause.Resource)
	t.Findings++
	switch {
	case whole && id != "" && s.Kind == compare.Extra:
		t.Extra++
	case id != "":
		item := maphash.Comparable(c.seed, [3]string{s.Language, s.Cause.Resource, id})
		if _, again := c.affected[item]; !again {
			c.affected[item] = struct{}{}
			t.Affected++
		}
		if whole && s.Kind == compare.Missing {
			t.Missing++
		}
	}
	k := c.kind(s)
	k.Findings++
	k.Languages[s.Language]++
	if k.Listed == maxOfKind || len(c.listed) == maxListed {
		return nil
	}
	k.Listed++
	f := &Finding{
		Language: s.Language, Resource: s.Cause.Resource, ID: id, Member: k.Member, Kind: s.Kind, Weight: k.Weight, Want: s.Want, Got: s.Got,
	}
	c.listed = append(c.listed, f)
	return f
}

// kind returns the kind of a finding. Members beyond the maximum are one.
func (c *Collector) kind(s *seen) *Kind {
	key := kindKey{s.Cause.Resource, s.Cause.Member, s.Cause.ID == "", s.Kind}
	if c.kinds[key] == nil && len(c.kinds) >= maxKinds {
		key.member = "(others)"
	}
	k := c.kinds[key]
	if k == nil {
		k = &Kind{
			Resource: key.resource, Member: key.member, List: key.list, Kind: s.Kind, Languages: map[string]int{},
			Weight: weigh(s.Cause.Resource, s.Cause.ID, s.Cause.Member, s.Kind),
		}
		c.kinds[key] = k
	}
	return k
}

// add adds a response that shows the finding.
func (f *Finding) add(s *seen) {
	if s.Path == f.Member+idSuffix || strings.HasSuffix(s.Path, "."+f.Member+idSuffix) {
		f.Want, f.Got = s.Want, s.Got // another item in its place
	}
	if s.Call == f.last {
		return
	}
	f.last = s.Call
	f.Responses++
	own := f.ID != "" && s.ID == f.ID && s.Resource == f.Resource
	if len(f.Calls) == 0 || own && !f.own {
		f.Legacy, f.Candidate, f.own = s.Legacy, s.Candidate, own
	}
	if len(f.Calls) < maxCalls {
		f.Calls = append(f.Calls, compare.WithoutSecrets(s.Call))
	}
}

// idSuffix ends the path of the id of an object.
const idSuffix = ".id"

// Report returns what was collected, in an order that depends on the content alone.
func (c *Collector) Report() Report {
	r := c.report
	r.Findings, r.Kinds, r.Total = make([]Finding, 0, len(c.listed)), make([]Kind, 0, len(c.kinds)), len(c.causes)
	for _, t := range c.tallies {
		r.Cells = append(r.Cells, *t)
	}
	for _, f := range c.listed {
		c.locate(f)
		r.Findings = append(r.Findings, *f)
	}
	for _, k := range c.kinds {
		r.Kinds = append(r.Kinds, *k)
	}
	for _, name := range slices.Sorted(maps.Keys(c.known)) {
		r.Known = append(r.Known, *c.known[name])
	}
	slices.SortFunc(r.Kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(a.Weight.rank(), b.Weight.rank()), cmp.Compare(b.Findings, a.Findings),
			cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Member, b.Member), cmp.Compare(a.Kind, b.Kind))
	})
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Weight.rank(), b.Weight.rank()), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Member, b.Member),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Language, b.Language))
	})
	switch all := r.Sum(); {
	case r.Total > 0:
		r.Verdict = Differs
	case all.Failed > 0:
		r.Verdict = Unproven
	default:
		r.Verdict = Same
	}
	r.Headline = r.headline()
	return r
}

// locate sets the name of the item of a finding, its other id and its URL.
func (c *Collector) locate(f *Finding) {
	if c.URL != nil {
		call := "/" + f.Resource
		if f.ID != "" {
			call += "/" + f.ID
		} else if len(f.Calls) > 0 {
			call = f.Calls[0]
		}
		f.URL = c.URL(f.Language, call)
	}
	if f.ID == "" {
		return
	}
	if c.Name != nil {
		f.Name = c.Name(f.Language, f.Resource, f.ID)
	}
	if c.CandidateID != nil {
		if there := c.CandidateID(f.Resource, f.ID); there != f.ID {
			f.CandidateID = there
		}
	}
}
