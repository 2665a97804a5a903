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

// Reader makes a call of the neutral namespace in a language, given by its code. A
// response with an error status is no error; an error means that there is no response.
type Reader func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error)

// cell is a resource in a language, the unit of a survey.
type cell struct {
	language string
	list     *mapping.Call // the first page of it
}

func (c cell) resource() string { return c.list.Endpoint.Resource }

func (c cell) String() string { return c.language + " " + c.resource() }

// cellsOf returns the cells of the languages, in the order of the table.
func cellsOf(languages []string) []cell {
	var all []cell
	for _, language := range languages {
		for _, list := range crawl.Lists() {
			all = append(all, cell{language, list})
		}
	}
	return all
}

// named are the names by which an item can be read.
type named struct {
	ID   string `json:"id"`
	Slug string `json:"slug,omitempty"`
}

// sampled reports whether an item belongs to a sample of about so many items of total;
// 0 samples all. The choice is deterministic.
func sampled(c cell, id string, sample, total int) bool {
	if sample == 0 || total <= sample {
		return true
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(c.String() + " " + id)) // a hash never fails
	return int(h.Sum64()%uint64(total)) < sample
}

// lineOf returns the path and query of a call.
func lineOf(c *mapping.Call) string {
	if query := c.Canonical(); query != "" {
		return c.Path() + "?" + query
	}
	return c.Path()
}

// listing walks through a list. It remembers ids, not documents.
type listing struct {
	read     Reader
	language string
	next     *mapping.Call // nil after the last page
	total    int           // by the list itself
	items    []named
	seen     map[string]bool
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

// together runs a and b concurrently, and waits for both.
func together(a, b func()) {
	var other sync.WaitGroup
	other.Go(b)
	a()
	other.Wait()
}

// Paced limits the calls per second of a reader; 0 disables the limit.
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

// The limits of waiting for a site that sends Retry-After.
const (
	maxPatience = time.Minute // of one wait
	maxTries    = 5           // for one call
)

// Patient makes a reader wait and retry. after returns how long an error asks it to
// wait; 0 returns the error.
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

// inOrder runs work for each input, at most n at once, and passes the results to take in
// the order of the inputs. It stops at the first error of take, or when ctx ends.
func inOrder[T, R any](ctx context.Context, n int, inputs iter.Seq[T], work func(context.Context, T) R, take func(R) error) error {
	ctx, cancel := context.WithCancel(ctx)
	results := make(chan chan R, n-1) // one more is being awaited
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
				cancel() // the running work ends early, and is awaited
			}
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	cancel()
	return err
}
