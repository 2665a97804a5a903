package survey

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/crawl"
)

// listing walks through a list. It remembers ids, not documents.
type listing struct {
	read     Reader
	language string
	next     *mapping.Call // nil after the last page
	total    int           // by the list itself
	items    []named
	seen     map[string]bool
	url      string // of the request for the first page; "" if it is not known
}

func newListing(read Reader, c cell) *listing {
	return &listing{read: read, language: c.language, next: c.list, seen: map[string]bool{}}
}

// listPage is a response to a list call, with its page if it is valid.
type listPage struct {
	call *mapping.Call // nil beyond the last page
	err  error
	compare.Document
	crawl.Page
	good bool
}

// whole reports whether a page is one of a list, or beyond its end.
func (p listPage) whole() bool { return p.good || p.call == nil }

func (p listPage) noList() error { return fmt.Errorf("status %d, and no list", p.Status) }

// page reads the next page. A list ends at its announced last page, at a response that
// is no list, and at a page without new items: a list might announce pages without end.
func (l *listing) page(ctx context.Context) (p listPage) {
	if l.next == nil {
		return p
	}
	p.call, l.next = l.next, nil
	if p.Document, p.err = l.read(ctx, p.call, l.language); p.err != nil || p.Status != http.StatusOK {
		return p
	}
	var err error
	if p.Page, err = crawl.ReadPage(p.call, p.Body); err != nil {
		return p
	}
	p.good = true
	l.url = cmp.Or(l.url, p.URL)
	l.total = p.Total
	if n := p.call.Page(); l.add(p.Items) && n < p.Pages {
		l.next = crawl.OnPage(p.call, n+1)
	}
	return p
}

// add adds items, and reports whether one of them is new.
func (l *listing) add(items []crawl.Listed) (some bool) {
	for _, item := range items {
		if !l.seen[item.ID] {
			l.seen[item.ID], some = true, true
			l.items = append(l.items, named{ID: item.ID, Slug: item.Slug, place: item.Place})
		}
	}
	return some
}

// places returns the items, each with the members that its place depends on.
func (l *listing) places() [][]byte {
	all := make([][]byte, len(l.items))
	for i := range l.items {
		all[i] = l.items[i].place
	}
	return all
}

// lacks returns the ids that other shows and l does not, in the order of other.
func (l *listing) lacks(other *listing) []string {
	var ids []string
	for _, i := range other.items {
		if !l.seen[i.ID] {
			ids = append(ids, i.ID)
		}
	}
	return ids
}
