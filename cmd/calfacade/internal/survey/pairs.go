package survey

import (
	"context"
	"maps"
	"net/http"
	"slices"

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
