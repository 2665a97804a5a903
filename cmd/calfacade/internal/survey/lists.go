package survey

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/report"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/crawl"
)

// maxApart is the maximum distance, in pages, of the entries of an item in both lists
// for them to be compared: an additional item on one site shifts all that follow. It
// bounds the entries in memory.
const maxApart = 4

// twoLists walks through the lists of both backends side by side.
type twoLists struct {
	*Comparison
	cell
	legacy, candidate *listing
	pages             []*mapping.Call    // of the legacy site
	waiting           map[string]waiting // entries that only one list has shown, by id
	paired            int
	broken            bool // one of the lists could not be read completely
}

// waiting is an entry of the page with that index.
type waiting struct {
	crawl.Listed
	page        int
	ofCandidate bool
}

// list compares the lists of a cell: page by page the entries of items that both show,
// and at the end the items of both lists.
func (d *Comparison) list(ctx context.Context, c cell) (row, error) {
	name := stepOf(c, listStep)
	if r, err := d.listBefore(c, name); r != nil || err != nil {
		return *cmp.Or(r, &row{}), err
	}
	l := &twoLists{Comparison: d, cell: c, legacy: newListing(d.Legacy, c), candidate: newListing(d.Candidate, c), waiting: map[string]waiting{}}
	for l.legacy.next != nil || l.candidate.next != nil {
		s := step{Name: name}
		l.page(ctx, &s)
		if err := l.record(ctx, s); err != nil {
			return row{}, err
		}
	}
	s := step{Name: name, End: true, Row: &row{Items: l.legacy.items}}
	l.whole(ctx, &s)
	return *s.Row, l.record(ctx, s)
}

// listBefore returns the outcome of the previous run; nil without one.
func (d *Comparison) listBefore(c cell, name string) (*row, error) {
	for {
		s, ok, err := d.Journal.next(name)
		if !ok {
			return nil, err
		}
		d.take(c, s, true)
		if s.End {
			return s.Row, nil
		}
	}
}

func (l *twoLists) record(ctx context.Context, s step) error {
	if err := ctx.Err(); err != nil {
		return err // calls failed because of that
	}
	return l.Comparison.record(l.cell, s)
}

// page reads the next page of each list. If the candidate's list ends early, the
// legacy's is still read, for its items.
func (l *twoLists) page(ctx context.Context, s *step) {
	first, candidate := l.read(ctx, s)
	if first.good && len(l.pages) == 0 {
		s.Expect = &expected{Pages: max(1, first.Pages), Items: first.Total}
	}
	l.pages = append(l.pages, first.call)
	switch {
	case first.err != nil || candidate.err != nil:
		l.broken = true
	case first.call != nil && !first.good || candidate.call != nil && !candidate.good:
		l.broken = true
		l.unlike(ctx, s, first, candidate)
	default:
		l.pair(ctx, s, first, candidate)
	}
	if first.call != nil && !first.good {
		l.candidate.next = nil
		if first.err == nil { // equal errors of both sites prove nothing
			s.fail(first.call, ofLegacy, first.noList())
		}
	}
}

func (l *twoLists) read(ctx context.Context, s *step) (first, candidate listPage) {
	first, candidate = bothPages(ctx, l.legacy, l.candidate)
	if len(l.pages) == 0 {
		first, candidate = l.narrow(ctx, s, first, candidate)
	}
	s.fail(first.call, ofLegacy, first.err)
	s.fail(candidate.call, ofCandidate, candidate.err)
	return first, candidate
}

// unlike compares responses that are not both pages of a list.
func (l *twoLists) unlike(ctx context.Context, s *step, first, candidate listPage) {
	if first.call == nil || candidate.call == nil {
		return // the lists differ in length, which whole reports
	}
	l.compare(ctx, s, l.cell, first.call, first.Document, candidate.Document, func(ctx context.Context) (compare.Document, error) {
		return l.Comparison.Legacy(ctx, first.call, l.language)
	})
}

// pairs are entries of items that both lists show, in the same order.
type pairs struct{ first, candidate []crawl.Listed }

func (p *pairs) add(first, candidate crawl.Listed) {
	p.first, p.candidate = append(p.first, first), append(p.candidate, candidate)
}

// pair compares the entries of items that both lists have shown by now, grouped by the
// pages of the legacy's list.
func (l *twoLists) pair(ctx context.Context, s *step, first, candidate listPage) {
	n := len(l.pages) - 1
	byPage := map[int]*pairs{n: {}}
	l.match(byPage, first.Items, n, false)
	l.match(byPage, candidate.Items, n, true)
	maps.DeleteFunc(l.waiting, func(_ string, w waiting) bool { return w.page <= n-maxApart })
	for _, page := range slices.Sorted(maps.Keys(byPage)) {
		p := byPage[page]
		l.paired += len(p.first)
		want, got := shown{first.Page, first.Sources}, shown{candidate.Page, candidate.Sources}
		whole := page == n && first.call != nil && candidate.call != nil
		if !whole {
			want = shown{Page: crawl.Bare(l.cell.list)}
			got = want
		}
		if whole || len(p.first) > 0 {
			l.entries(ctx, s, l.pages[page], want, got, whole, p)
		}
	}
}

// match looks for entries of the same items among those that wait, and adds the others
// to these.
func (l *twoLists) match(byPage map[int]*pairs, items []crawl.Listed, n int, ofCandidate bool) {
	for _, item := range items {
		other, found := l.waiting[item.ID]
		if !found || other.ofCandidate == ofCandidate {
			l.waiting[item.ID] = waiting{item, n, ofCandidate}
			continue
		}
		delete(l.waiting, item.ID)
		if ofCandidate {
			if byPage[other.page] == nil {
				byPage[other.page] = new(pairs)
			}
			byPage[other.page].add(other.Listed, item)
			continue
		}
		byPage[n].add(item, other.Listed)
	}
}

// shown is a page with the answers that it was made of.
type shown struct {
	crawl.Page
	sources []compare.Source
}

// with returns a document of the page with other items.
func (p shown) with(items []crawl.Listed) compare.Document {
	return compare.Document{Status: http.StatusOK, Body: p.With(items), Sources: p.sources}
}

// entries compares the entries of a page; with whole also the rest of the page.
func (l *twoLists) entries(ctx context.Context, s *step, call *mapping.Call, want, got shown, whole bool, p *pairs) {
	l.compare(ctx, s, l.cell, call, want.with(p.first), got.with(p.candidate), func(ctx context.Context) (compare.Document, error) {
		d, err := l.Comparison.Legacy(ctx, call, l.language)
		if err != nil || d.Status != http.StatusOK {
			return d, err
		}
		again, err := crawl.ReadPage(call, d.Body)
		if err != nil {
			return d, nil
		}
		items := again.Items
		if !whole {
			again = crawl.Bare(call)
		}
		return shown{Page: again}.with(inOrderOf(p.first, items)), nil
	})
}

// inOrderOf returns those items that are among the others, in the order of these.
func inOrderOf(others, items []crawl.Listed) []crawl.Listed {
	byID := map[string]crawl.Listed{}
	for _, item := range items {
		byID[item.ID] = item
	}
	var out []crawl.Listed
	for _, other := range others {
		if item, ok := byID[other.ID]; ok {
			out = append(out, item)
		}
	}
	return out
}

// whole compares the items of the lists, their order, and their announced totals.
func (l *twoLists) whole(ctx context.Context, s *step) {
	if l.legacy.total > len(l.legacy.items) && !l.broken {
		s.fail(l.cell.list, ofLegacy, fmt.Errorf("the list announces %d items and shows %d", l.legacy.total, len(l.legacy.items)))
	}
	if l.broken {
		return
	}
	missing, extra := l.candidate.lacks(l.legacy), l.legacy.lacks(l.candidate)
	s.Row.Unaligned = len(l.legacy.items) - len(missing) - l.paired
	// A total that is off by the number of missing items is no additional difference.
	explained := l.legacy.total-l.candidate.total == len(missing)-len(extra)
	extra = l.unlisted(ctx, s, extra)
	// An item at another time has another place in the list because of that, which is no
	// additional difference. A sample may not show the time of an item.
	var moved map[string]bool
	if l.Sample == 0 {
		moved = l.legacy.moved(l.candidate)
	}
	document := func(of *listing) compare.Document {
		total := of.total
		if explained {
			total = -1
		}
		return compare.Document{Status: http.StatusOK, Body: crawl.Document(l.cell.list, of.idsBut(moved), total), Sources: []compare.Source{{URL: of.url}}}
	}
	l.compare(ctx, s, l.cell, l.cell.list, document(l.legacy), document(l.candidate), func(ctx context.Context) (compare.Document, error) {
		again := newListing(l.Comparison.Legacy, l.cell)
		for again.next != nil {
			if p := again.page(ctx); p.err != nil {
				return p.Document, p.err
			}
		}
		s.Row.Missing = slices.DeleteFunc(missing, func(id string) bool { return !again.seen[id] })
		extra = slices.DeleteFunc(extra, func(id string) bool { return again.seen[id] })
		s.Row.Extra, s.Row.Examples = len(extra), extra[:min(len(extra), report.MaxNamed)]
		return document(again), nil
	})
}

// maxUnlisted is the maximum number of items that are read because only the candidate's list
// has them.
const maxUnlisted = 1000

// unlisted removes, from the ids that only the candidate's list has and from that list, those
// that the legacy has and is known not to list.
func (l *twoLists) unlisted(ctx context.Context, s *step, extra []string) []string {
	endpoint := l.cell.list.Endpoint.Name()
	known := l.Rules.KnownExtra(endpoint)
	if known == nil {
		return extra
	}
	d := compare.Difference{Path: l.cell.resource() + "[]", Kind: compare.Extra, Known: known.Name}
	hidden := map[string]bool{}
	for _, id := range extra[:min(len(extra), maxUnlisted)] {
		read := crawl.Reads(l.cell.resource(), id, "")
		if len(read) == 0 {
			continue
		}
		item, err := l.Comparison.Legacy(ctx, read[0], l.language)
		s.fail(read[0], ofLegacy, err)
		if hidden[id] = err == nil && item.Status == http.StatusOK && known.Unlisted[endpoint](item.Body); hidden[id] {
			d.Item, d.Got, d.Times = id, id, d.Times+1
		}
	}
	if d.Times > 0 {
		s.Found = append(s.Found, finding{Endpoint: endpoint, Call: lineOf(l.cell.list), Differences: []compare.Difference{d}})
	}
	l.candidate.items = slices.DeleteFunc(l.candidate.items, func(n named) bool { return hidden[n.ID] })
	return slices.DeleteFunc(extra, func(id string) bool { return hidden[id] })
}
