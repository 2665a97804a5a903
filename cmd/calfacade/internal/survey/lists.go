package survey

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// twoLists walks through the lists of both backends side by side.
type twoLists struct {
	*Comparison
	cell
	here, there *listing // of the legacy and the candidate
	broken      bool     // one of the lists could not be read completely
}

// list compares the lists of a cell: page by page the entries that both pages show, and at the end
// the items of both lists. It returns the items to compare.
func (d *Comparison) list(ctx context.Context, c cell) (todo []mapping.Listed) {
	s := c.step("")
	l := d.begin(ctx, c, &s)
	for ; ; s = c.step("") {
		l.pages(ctx, &s)
		if d.take(ctx, s) != nil {
			return nil
		}
		if l.here.next == nil && l.there.next == nil {
			break
		}
		l.advance(ctx)
	}
	s = c.step("")
	if !l.broken {
		l.lists(ctx, &s)
	}
	s.Items = len(l.here.items)
	_ = d.take(ctx, s) // run looks at ctx
	for _, item := range l.here.items {
		if sampled(c, item.ID, d.Sample, len(l.here.items)) {
			item.Place = nil
			todo = append(todo, item)
		}
	}
	return todo
}

// begin reads the first pages of both lists. If a site does not respond to the widest call with a
// list, both are sent one without parameters, by which the lists may lack items. If they respond to
// neither, it returns the responses to the widest one.
func (d *Comparison) begin(ctx context.Context, c cell, s *compare.Step) *twoLists {
	widest := d.try(ctx, c)
	if widest.whole() {
		return widest
	}
	plain := d.try(ctx, cell{language: c.language, list: mapping.PlainList(c.list)})
	if !plain.whole() {
		return widest
	}
	of := ofLegacy
	refused := widest.here.page
	if refused.problem == nil {
		of = ofCandidate
		refused = widest.there.page
	}
	fail(s, c.list, of, fmt.Errorf("%w; compared without filters", refused.problem))
	return plain
}

// try reads the first pages of both lists by a call.
func (d *Comparison) try(ctx context.Context, c cell) *twoLists {
	l := &twoLists{Comparison: d, cell: c, here: newListing(d.Legacy, c), there: newListing(d.Candidate, c)}
	l.advance(ctx)
	return l
}

// advance reads the next page of both lists.
func (l *twoLists) advance(ctx context.Context) {
	together(func() { l.here.advance(ctx) }, func() { l.there.advance(ctx) })
}

// whole reports whether both pages are pages of a list, or beyond its end.
func (l *twoLists) whole() bool { return l.here.page.problem == nil && l.there.page.problem == nil }

// maxName is the maximum length of the name of an item, in bytes.
const maxName = 80

// pages compares a page of both lists. If the candidate's list ends early, the legacy's is still read,
// for its items.
func (l *twoLists) pages(ctx context.Context, s *compare.Step) {
	first := &l.here.page
	candidate := &l.there.page
	fail(s, first.call, ofLegacy, first.problem) // equal errors of both sites prove nothing
	fail(s, candidate.call, ofCandidate, candidate.err)
	for _, item := range slices.Concat(candidate.Items, first.Items) {
		l.names[[3]string{l.language, l.resource(), item.ID}] = compare.Shorten(item.Name, maxName)
	}
	l.broken = l.broken || !l.whole()
	rules := l.Rules
	if l.whole() {
		rules = rules.Entries()
	}
	if first.err == nil && candidate.err == nil && first.call != nil && candidate.call != nil {
		l.compare(ctx, s, rules, first.call, first.Document, candidate.Document, nil)
	}
	if first.problem != nil {
		l.there.next = nil
	}
}

// maxUnlisted is the maximum number of items of a list that are read because only the candidate
// lists them.
const maxUnlisted = 1000

// lists compares the items of the lists, their order, and their announced totals.
func (l *twoLists) lists(ctx context.Context, s *compare.Step) {
	if shown := len(l.here.items); l.here.total > shown {
		fail(s, l.cell.list, ofLegacy, fmt.Errorf("the list announces %d items and shows %d", l.here.total, shown))
	}
	// A total that is off by the number of missing items is no additional difference.
	explained := l.here.total-l.there.total == len(l.here.items)-len(l.there.items)
	document := func(of *listing) compare.Document {
		total := of.total
		if explained {
			total = -1
		}
		places := make([][]byte, len(of.items))
		for i := range of.items {
			places[i] = of.items[i].Place
		}
		return compare.Document{Status: http.StatusOK, Body: mapping.ListDocument(l.cell.list, places, total), URL: of.url}
	}
	rules := l.Rules.Reading(maxUnlisted, func(item *mapping.Call) (compare.Document, error) {
		got, err := l.Legacy(ctx, item, s.Language)
		fail(s, item, ofLegacy, err)
		return got, err
	})
	l.compare(ctx, s, rules, l.cell.list, document(l.here), document(l.there), func() (compare.Document, error) {
		again := newListing(l.Legacy, l.cell)
		for again.next != nil && again.page.err == nil {
			again.advance(ctx)
		}
		return document(again), again.page.err
	})
}
