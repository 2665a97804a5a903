package survey

import (
	"context"
	"fmt"
	"hash/fnv"
	"iter"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/crawl"
)

// Reader makes a call of the neutral namespace in a language, given by its code.
// The status of an error is no error: that is that there is no answer.
type Reader func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error)

// cell is a resource in a language: what a survey walks through.
type cell struct {
	language string
	list     *mapping.Call // the first page of it
}

func (c cell) resource() string { return c.list.Endpoint.Resource }

func (c cell) String() string { return c.language + " " + c.resource() }

// cellsOf are all cells of the languages, in the order of the table.
func cellsOf(languages []string) []cell {
	var all []cell
	for _, language := range languages {
		for _, list := range crawl.Lists() {
			all = append(all, cell{language, list})
		}
	}
	return all
}

// named is an item by the names that it can be read by.
type named struct {
	ID   string `json:"id"`
	Slug string `json:"slug,omitempty"`
}

// sampled reports whether an item is among about so many of a list of total; 0 is
// all. The choice is the same every time.
func sampled(c cell, id string, sample, total int) bool {
	if sample == 0 || total <= sample {
		return true
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(c.String() + " " + id)) // a hash takes everything
	return int(h.Sum64()%uint64(total)) < sample
}

// lineOf is a call as people read it.
func lineOf(c *mapping.Call) string {
	if query := c.Canonical(); query != "" {
		return c.Path() + "?" + query
	}
	return c.Path()
}

// listing walks through a list. It keeps ids and no documents.
type listing struct {
	read     Reader
	language string
	next     *mapping.Call // nil at the end
	total    int           // as the list tells
	items    []named
	seen     map[string]bool
}

func newListing(read Reader, c cell) *listing {
	return &listing{read: read, language: c.language, next: c.list, seen: map[string]bool{}}
}

// listPage is an answer to a list call, and what it shows if it is a good one.
type listPage struct {
	call *mapping.Call // nil where a list has no such page
	err  error
	compare.Document
	crawl.Page
	good bool
}

func (p listPage) noList() error { return fmt.Errorf("status %d, and no list", p.Status) }

// page reads the next page. A list ends where it says so, with an answer that is
// none of a list, and with a page that shows nothing new: else one that says that
// it goes on for ever would be believed.
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
	l.total = p.Total
	if n := p.call.Page(); l.add(p.Items) && n < p.Pages {
		l.next = crawl.OnPage(p.call, n+1)
	}
	return p
}

// add reports whether an item is new.
func (l *listing) add(items []crawl.Listed) (some bool) {
	for _, item := range items {
		if !l.seen[item.ID] {
			l.seen[item.ID], some = true, true
			l.items = append(l.items, named{item.ID, item.Slug})
		}
	}
	return some
}

func (l *listing) ids() []string {
	ids := make([]string, len(l.items))
	for i := range l.items {
		ids[i] = l.items[i].ID
	}
	return ids
}

// together runs both and waits for them.
func together(a, b func()) {
	var other sync.WaitGroup
	other.Go(b)
	a()
	other.Wait()
}

// Paced has a reader make so many calls a second; 0 is no limit.
func Paced(read Reader, perSecond float64) Reader {
	if perSecond == 0 {
		return read
	}
	limit := rate.NewLimiter(rate.Limit(perSecond), 1)
	return func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error) {
		if err := limit.Wait(ctx); err != nil {
			return compare.Document{}, err
		}
		return read(ctx, call, language)
	}
}

// What a survey puts up with of a site that asks it to come back later.
const (
	maxPatience = time.Minute // that it waits once
	maxTries    = 5           // of one call
)

// Patient has a reader wait where it is told to, and call again. after says for how
// long; 0 is that it was not told to.
func Patient(read Reader, after func(error) time.Duration) Reader {
	return func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error) {
		for try := 1; ; try++ {
			d, err := read(ctx, call, language)
			wait := min(after(err), maxPatience)
			if wait <= 0 || try == maxTries {
				return d, err
			}
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return d, ctx.Err()
			}
		}
	}
}

// inOrder works on inputs, on up to n at once, and takes the results in the order
// of the inputs. It ends with the error of take, or when ctx does.
func inOrder[T, R any](ctx context.Context, n int, inputs iter.Seq[T], work func(context.Context, T) R, take func(R) error) error {
	ctx, cancel := context.WithCancel(ctx)
	results := make(chan chan R, n-1) // and one is waited for
	go func() {
		defer close(results)
		for input := range inputs {
			result := make(chan R, 1)
			select {
			case results <- result:
				go func() { result <- work(ctx, input) }()
			case <-ctx.Done():
				return
			}
		}
	}()
	var err error
	for result := range results {
		r := <-result
		if err == nil {
			if err = take(r); err != nil {
				cancel() // what is under way ends, and is waited for
			}
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	cancel()
	return err
}
