package survey

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/report"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/crawl"
)

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
