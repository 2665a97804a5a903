package causes

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping/compare"
)

// Limits bound the memory of a [Collector]. Zero means the default.
type Limits struct {
	Listed  int // findings that are listed; 10,000
	PerKind int // of one kind; 1,000
	Kinds   int // 500
	Causes  int // distinct findings and items; 1,000,000
}

func (l Limits) orDefault() Limits {
	return Limits{cmp.Or(l.Listed, 10_000), cmp.Or(l.PerKind, 1000), cmp.Or(l.Kinds, 500), cmp.Or(l.Causes, 1_000_000)}
}

// maxExamples is the maximum number of examples of a kind.
const maxExamples = 5

// Collector groups differences. It is not safe for concurrent use; the zero value is ready. What it
// collects depends only on the differences and their order.
type Collector struct {
	Limits Limits

	seed      maphash.Seed
	causes    map[uint64]*found // by hash; nil for one that is not listed
	items     map[uint64]struct{}
	listed    []*found
	kinds     map[kindKey]*Kind
	affected  map[cell]Affected
	ungrouped int64
}

type cell struct{ language, resource string }

type kindKey struct {
	resource, member string
	list             bool
	kind             compare.Kind
}

// Add adds the differences in the responses to the calls for one item, or in a page of a list. Known
// ones are ignored.
func (c *Collector) Add(batch []Seen) {
	batch = slices.DeleteFunc(batch, func(s Seen) bool { return s.Known != "" })
	for _, s := range assign(batch) {
		if f := c.find(&s); f != nil {
			f.add(&s)
		}
	}
}

// find returns the finding of a difference; nil if that is not listed. A new finding is counted.
func (c *Collector) find(s *assigned) *found {
	c.begin()
	key := maphash.Comparable(c.seed, struct {
		language string
		compare.Cause
	}{s.Language, s.Cause})
	f, known := c.causes[key]
	if known {
		return f
	}
	if len(c.causes) == c.Limits.Causes {
		c.ungrouped++
		return nil
	}
	f = c.list(s)
	c.causes[key] = f
	return f
}

func (c *Collector) begin() {
	if c.causes == nil {
		c.Limits, c.seed = c.Limits.orDefault(), maphash.MakeSeed()
		c.causes, c.items = map[uint64]*found{}, map[uint64]struct{}{}
		c.kinds, c.affected = map[kindKey]*Kind{}, map[cell]Affected{}
	}
}

// list counts a new finding, and lists it if there is room.
func (c *Collector) list(s *assigned) *found {
	c.count(s)
	k := c.kind(s)
	if k == nil {
		c.ungrouped++
		return nil
	}
	k.Findings++
	k.Languages[s.Language]++
	if len(k.Examples) < maxExamples {
		k.Examples = append(k.Examples, strings.TrimSpace(s.Language+" "+s.Cause.ID))
	}
	if k.Listed == c.Limits.PerKind || len(c.listed) == c.Limits.Listed {
		return nil
	}
	k.Listed++
	f := &found{Finding: Finding{
		Language: s.Language, Resource: s.Cause.Resource, ID: s.Cause.ID, Member: s.Cause.Member,
		Kind: s.Kind, Weight: k.Weight, Want: s.Want, Got: s.Got,
	}}
	c.listed = append(c.listed, f)
	return f
}

// count counts a new finding, and its item if that has none yet.
func (c *Collector) count(s *assigned) {
	at := cell{s.Language, s.Cause.Resource}
	n := c.affected[at]
	n.Findings++
	item := maphash.Comparable(c.seed, [3]string{s.Language, s.Cause.Resource, s.Cause.ID})
	extra := s.Cause.Member == "" && s.Kind == compare.Extra
	if _, again := c.items[item]; !again && s.Cause.ID != "" && !extra && len(c.items) < c.Limits.Causes {
		c.items[item] = struct{}{}
		n.Items++
	}
	c.affected[at] = n
}

// kind returns the kind of a finding; nil where there is no room for another.
func (c *Collector) kind(s *assigned) *Kind {
	key := kindKey{s.Cause.Resource, s.Cause.Member, s.Cause.ID == "", s.Kind}
	k := c.kinds[key]
	if k == nil && len(c.kinds) < c.Limits.Kinds {
		k = &Kind{
			Resource: s.Cause.Resource, Member: s.Cause.Member, List: s.Cause.ID == "", Kind: s.Kind, Languages: map[string]int{},
			Weight: weigh(s.Cause.Resource, s.Cause.ID, s.Cause.Member, s.Kind),
		}
		c.kinds[key] = k
	}
	return k
}

// Affected returns how many items of a list have findings, and how many these are.
func (c *Collector) Affected(language, resource string) Affected {
	return c.affected[cell{language, resource}]
}

// Result returns what was collected, in an order that depends on the content alone.
func (c *Collector) Result() Result {
	r := Result{Findings: make([]Finding, 0, len(c.listed)), Kinds: make([]Kind, 0, len(c.kinds)), Ungrouped: c.ungrouped, Total: len(c.causes)}
	for _, f := range c.listed {
		r.Findings = append(r.Findings, f.Finding)
	}
	for _, k := range c.kinds {
		r.Kinds = append(r.Kinds, *k)
	}
	slices.SortFunc(r.Kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(a.Weight.rank(), b.Weight.rank()), cmp.Compare(b.Findings, a.Findings),
			cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Member, b.Member), cmp.Compare(a.Kind, b.Kind), cmp.Compare(fmt.Sprint(a.Examples), fmt.Sprint(b.Examples)))
	})
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Weight.rank(), b.Weight.rank()), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Member, b.Member),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Language, b.Language))
	})
	return r
}
