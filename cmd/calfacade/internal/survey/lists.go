package survey

import (
	"cmp"
	"context"

	"github.com/calfacade/calfacade/mapping/compare"
)

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
