package survey

import (
	"context"
	"slices"

	"github.com/calfacade/calfacade/mapping/crawl"
)

// walk requests the lists and items of every cell that the interrupted run did not complete. It
// begins with the first pages of all lists, which announce the rest. Its error is that of ctx, or
// of the journal.
func (w *Warmer) walk(ctx context.Context, cells []cell) error {
	lists := make([]*listing, len(cells))
	for i, c := range cells {
		if steps := w.journal.steps(c); steps > 0 {
			w.progress.expect(c, steps)
			w.skip(c, steps)
			continue
		}
		lists[i] = newListing(w.read, c)
		_, err := w.read(ctx, crawl.Plain(c.list), c.language)
		w.did(ctx, c, crawl.Plain(c.list), err)
		w.page(ctx, c, lists[i])
	}
	for i, c := range cells {
		if lists[i] == nil {
			continue
		}
		if err := w.cell(ctx, c, lists[i]); err != nil {
			return err
		}
		lists[i] = nil
	}
	return nil
}

// page requests the next page of a list.
func (w *Warmer) page(ctx context.Context, c cell, list *listing) {
	p := list.page(ctx)
	if p.err == nil && !p.good {
		p.err = p.noList()
	}
	w.progress.expect(c, 1+max(1, p.Pages)+p.Total)
	w.did(ctx, c, p.call, p.err)
}

// cell requests the other pages of a list, and its items without those of the interrupted run.
func (w *Warmer) cell(ctx context.Context, c cell, list *listing) error {
	for list.next != nil {
		w.page(ctx, c, list)
	}
	w.progress.expect(c, w.progress.of(c)+len(list.items))
	todo := slices.DeleteFunc(slices.Clone(list.items), func(n named) bool { return w.journal.has(c, n.ID) })
	w.skip(c, len(list.items)-len(todo))
	if err := w.items(ctx, c, todo); err != nil {
		return err
	}
	if w.failedIn[c.String()] {
		return nil // the next run requests it again
	}
	return w.journal.end(c, w.progress.of(c))
}

// skip counts steps of the interrupted run.
func (w *Warmer) skip(c cell, steps int) {
	w.resumed += steps
	w.progress.skip(c, steps)
}

func (w *Warmer) items(ctx context.Context, c cell, items []named) error {
	request := func(ctx context.Context, n named) step {
		s := step{Name: n.ID}
		for _, call := range crawl.Reads(c.resource(), n.ID, n.Slug) {
			_, err := w.read(ctx, call, c.language)
			s.fail(call, "", err)
		}
		return s
	}
	return inOrder(ctx, w.concurrency, slices.Values(items), request, func(s step) error {
		w.take(ctx, c, s)
		if err := ctx.Err(); err != nil || len(s.Failed) > 0 {
			return err
		}
		return w.journal.item(c, s.Name)
	})
}
