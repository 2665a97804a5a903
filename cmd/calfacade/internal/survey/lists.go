package survey

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/crawl"
)

// twoLists walks through the lists of both backends side by side.
type twoLists struct {
	*Comparison
	cell
	legacy, candidate *listing
	aligned           int       // items that both lists show on the same page
	broken            bool      // one of the lists could not be read completely
	lacking           []Failure // why the lists may lack items
}

// list compares the lists of a cell: page by page the entries that both pages show, and at the end
// the items of both lists. It returns the items to compare.
func (d *Comparison) list(ctx context.Context, c cell) (todo []named) {
	l, first, candidate := d.begin(ctx, c)
	s := Step{Language: c.language, Resource: c.resource(), Failed: l.lacking}
	for {
		l.page(ctx, &s, first, candidate)
		if d.take(ctx, s) != nil {
			return nil
		}
		if l.legacy.next == nil && l.candidate.next == nil {
			break
		}
		first, candidate = l.pages(ctx)
		s = Step{Language: c.language, Resource: c.resource()}
	}
	s = Step{Language: c.language, Resource: c.resource()}
	l.whole(ctx, &s)
	_ = d.take(ctx, s) // the caller looks at ctx
	d.result.Tally(c.language, c.resource()).Items = len(l.legacy.items)
	for _, n := range l.legacy.items {
		if sampled(c, n.ID, d.Sample, len(l.legacy.items)) {
			n.missing, n.place = !l.broken && !l.candidate.seen[n.ID], nil
			todo = append(todo, n)
		}
	}
	return todo
}

// begin reads the first pages of both lists. If a site does not respond to the widest call with a
// list, both are sent smaller ones; if they respond to none, it returns the responses to the widest one.
func (d *Comparison) begin(ctx context.Context, c cell) (l *twoLists, first, candidate listPage) {
	l, first, candidate = d.try(ctx, c)
	if first.good && candidate.good {
		return l, first, candidate
	}
	for _, call := range crawl.Narrower(c.list) {
		narrow, a, b := d.try(ctx, cell{c.language, call})
		if !a.good || !b.good {
			continue
		}
		if without := lacking(call, c.list); len(without) > 0 {
			of, refused := ofLegacy, first
			if first.good {
				of, refused = ofCandidate, candidate
			}
			why := fmt.Sprintf("%s; compared without %s", cmp.Or(refused.err, refused.noList()), strings.Join(without, ", "))
			narrow.lacking = []Failure{{Call: LineOf(c.list), Of: of, Why: cut(why, maxWhy)}}
		}
		return narrow, a, b
	}
	return l, first, candidate
}

func (d *Comparison) try(ctx context.Context, c cell) (l *twoLists, first, candidate listPage) {
	l = &twoLists{Comparison: d, cell: c, legacy: newListing(d.Legacy, c), candidate: newListing(d.Candidate, c)}
	first, candidate = l.pages(ctx)
	return l, first, candidate
}

// pages reads the next page of both lists.
func (l *twoLists) pages(ctx context.Context) (first, candidate listPage) {
	together(
		func() { first = l.legacy.page(ctx) },
		func() { candidate = l.candidate.page(ctx) },
	)
	return first, candidate
}

// lacking returns the parameters of a wide call that show more and that a narrow one does not have.
func lacking(narrow, wide *mapping.Call) (names []string) {
	for _, a := range wide.Query {
		sent := slices.ContainsFunc(narrow.Query, func(b mapping.Arg) bool { return b.Param.Name == a.Param.Name })
		if !sent && a.Param.Cap == 0 && a.Param.WidestValue() != "" {
			names = append(names, a.Param.Name)
		}
	}
	return names
}

// maxName is the maximum length of the name of an item, in bytes.
const maxName = 80

// page compares a page of both lists. If the candidate's list ends early, the legacy's is still read,
// for its items.
func (l *twoLists) page(ctx context.Context, s *Step, first, candidate listPage) {
	fail(s, first.call, ofLegacy, first.err)
	fail(s, candidate.call, ofCandidate, candidate.err)
	for _, item := range slices.Concat(candidate.Items, first.Items) {
		l.names[[3]string{l.language, l.resource(), item.ID}] = cut(item.Name, maxName)
	}
	whole := first.whole() && candidate.whole()
	l.broken = l.broken || !whole
	switch {
	case first.err != nil || candidate.err != nil || first.call == nil || candidate.call == nil:
	case whole:
		l.entries(ctx, s, first, candidate)
	default:
		l.compare(s, first.call, first.Document, candidate.Document, func() (compare.Document, error) {
			return l.Comparison.Legacy(ctx, first.call, l.language)
		})
	}
	if !first.whole() {
		l.candidate.next = nil
		if first.err == nil { // equal errors of both sites prove nothing
			fail(s, first.call, ofLegacy, first.noList())
		}
	}
}

// entries compares the entries of the items that both pages show, in the order of the legacy's.
func (l *twoLists) entries(ctx context.Context, s *Step, first, candidate listPage) {
	there := inOrderOf(first.Items, candidate.Items)
	here := inOrderOf(there, first.Items)
	l.aligned += len(here)
	document := func(items []crawl.Listed, url string) compare.Document {
		var all [][]byte
		for _, item := range items {
			all = append(all, item.JSON)
		}
		return compare.Document{Status: http.StatusOK, Body: crawl.Document(first.call, all, -1), URL: url}
	}
	l.compare(s, first.call, document(here, first.URL), document(there, candidate.URL), func() (compare.Document, error) {
		again, err := l.Comparison.Legacy(ctx, first.call, l.language)
		if err != nil || again.Status != http.StatusOK {
			return again, err
		}
		page, err := crawl.ReadPage(first.call, again.Body)
		if err != nil {
			return again, nil
		}
		return document(inOrderOf(here, page.Items), again.URL), nil
	})
}

// inOrderOf returns the items that are among others, in the order of the others.
func inOrderOf(others, items []crawl.Listed) (out []crawl.Listed) {
	byID := map[string]crawl.Listed{}
	for _, item := range items {
		byID[item.ID] = item
	}
	for _, other := range others {
		if item, ok := byID[other.ID]; ok {
			out = append(out, item)
		}
	}
	return out
}

// whole compares the items of the lists, their order, and their announced totals.
func (l *twoLists) whole(ctx context.Context, s *Step) {
	if l.broken {
		return
	}
	if l.legacy.total > len(l.legacy.items) {
		fail(s, l.cell.list, ofLegacy, fmt.Errorf("the list announces %d items and shows %d", l.legacy.total, len(l.legacy.items)))
	}
	missing, extra := l.candidate.lacks(l.legacy), l.legacy.lacks(l.candidate)
	l.result.Tally(l.language, l.resource()).Unaligned = len(l.legacy.items) - len(missing) - l.aligned
	// A total that is off by the number of missing items is no additional difference.
	explained := l.legacy.total-l.candidate.total == len(missing)-len(extra)
	l.unlisted(ctx, s, extra)
	document := func(of *listing) compare.Document {
		total := of.total
		if explained {
			total = -1
		}
		return compare.Document{Status: http.StatusOK, Body: crawl.Document(l.cell.list, of.places(), total), URL: of.url}
	}
	l.compare(s, l.cell.list, document(l.legacy), document(l.candidate), func() (compare.Document, error) {
		again := newListing(l.Comparison.Legacy, l.cell)
		for again.next != nil {
			if p := again.page(ctx); p.err != nil {
				return p.Document, p.err
			}
		}
		return document(again), nil
	})
}

// maxUnlisted is the maximum number of items that are read because only the candidate's list
// has them.
const maxUnlisted = 1000

// unlisted removes from the candidate's list the items that only it has, and that the legacy has and
// is known not to list.
func (l *twoLists) unlisted(ctx context.Context, s *Step, extra []string) {
	endpoint := l.cell.list.Endpoint.Name()
	known := l.Rules.KnownExtra(endpoint)
	if known == nil {
		return
	}
	d := compare.Difference{Path: l.resource() + "[]", Kind: compare.Extra, Known: known.Name}
	hidden := map[string]bool{}
	for _, id := range extra[:min(len(extra), maxUnlisted)] {
		read := crawl.Reads(l.resource(), id, "")
		if len(read) == 0 {
			continue
		}
		item, err := l.Comparison.Legacy(ctx, read[0], l.language)
		fail(s, read[0], ofLegacy, err)
		if hidden[id] = err == nil && item.Status == http.StatusOK && known.Unlisted[endpoint](item.Body); hidden[id] {
			d.Item, d.Got, d.Times = id, id, d.Times+1
		}
	}
	if d.Times > 0 {
		s.Documents = append(s.Documents, documentOf(l.cell.list, compare.Document{}, compare.Document{}, []compare.Difference{d}, 0))
	}
	l.candidate.items = slices.DeleteFunc(l.candidate.items, func(n named) bool { return hidden[n.ID] })
}
