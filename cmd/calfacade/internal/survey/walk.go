package survey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// ErrCutOff is the error of a walk that was interrupted.
var ErrCutOff = errors.New("interrupted")

// walk reads the lists of a calendar, and then their items.
type walk struct {
	languages []string
	readList  func(context.Context, collection) []mapping.Listed // returns the items to read
	readItem  func(context.Context, collection, mapping.Listed) compare.Step
	findings  *compare.Findings
	journal   *Journal
	progress  *progressbar.ProgressBar
}

// run reads everything, and shows progress on stderr if that is a terminal.
func (w *walk) run(ctx context.Context, title string, stderr io.Writer) error {
	if !terminal.Is(stderr) {
		stderr = io.Discard
	}
	w.progress = progressbar.NewOptions(-1, progressbar.OptionSetWriter(stderr), progressbar.OptionSetDescription(title),
		progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetWidth(20), progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(200*time.Millisecond), progressbar.OptionSetSpinnerChangeInterval(0))
	defer func() { _ = w.progress.Finish() }()
	collections := collectionsOf(w.languages)
	items := make([][]mapping.Listed, len(collections))
	total := 0
	for i, c := range collections {
		w.progress.Describe(c.String())
		items[i] = w.readList(ctx, c)
		if ctx.Err() != nil {
			return ErrCutOff
		}
		total += len(items[i])
	}
	w.progress.ChangeMax64(w.progress.State().CurrentNum + int64(total))
	for i, c := range collections {
		w.progress.Describe(c.String())
		work := func(item mapping.Listed) compare.Step { return w.readItem(ctx, c, item) }
		if err := inOrder(items[i], work, func(s compare.Step) error { return w.take(ctx, s) }); err != nil {
			return err
		}
		items[i] = nil
	}
	return nil
}

// take adds a step to the findings and, of an item without failures, to the journal.
func (w *walk) take(ctx context.Context, s compare.Step) error {
	if ctx.Err() != nil {
		return ErrCutOff // calls failed because of that
	}
	_ = w.progress.Add(1) // drawing may fail
	w.findings.Add(s)
	return w.journal.note(s)
}

// collection is a resource in a language.
type collection struct {
	language string
	list     *mapping.Call // the first page
}

func (c collection) resource() string { return c.list.Endpoint.Resource }

func (c collection) String() string { return c.language + " " + c.resource() }

// step returns an empty step of an item; "" is the list.
func (c collection) step(id string) compare.Step {
	return compare.Step{Language: c.language, Resource: c.resource(), ID: id}
}

// collectionsOf returns the collections of the languages, in the order of the table.
func collectionsOf(languages []string) (collections []collection) {
	for _, language := range languages {
		for _, list := range mapping.WidestLists() {
			collections = append(collections, collection{language: language, list: list})
		}
	}
	return collections
}

// sampled reports whether an item belongs to a sample of about so many items of total;
// 0 samples all. The choice is deterministic.
func sampled(c collection, id string, sample, total int) bool {
	if sample == 0 || total <= sample {
		return true
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(c.String() + " " + id)) // a hash never fails
	return int(h.Sum64()%uint64(total)) < sample
}

// maxWhy is the maximum length of an error in a failure, in bytes.
const maxWhy = 300

// fail adds a failure of a call to a backend, if err is not nil.
func fail(s *compare.Step, call *mapping.Call, backend string, err error) {
	if err != nil {
		s.Failed = append(s.Failed, compare.Failure{Language: s.Language, Resource: s.Resource, Call: call.Line(), Of: backend,
			Why: mapping.Shorten(err.Error(), maxWhy)})
	}
}

// listing walks through a list, and remembers ids, not documents.
type listing struct {
	reader   Reader
	language string
	next     *mapping.Call // nil after the last page
	page     answeredPage  // the last one that was read
	total    int           // by the list itself
	items    []mapping.Listed
	ids      map[string]bool
	url      string // of the request for the first page; "" if unknown
}

func newListing(reader Reader, c collection) *listing {
	return &listing{reader: reader, language: c.language, next: c.list, ids: map[string]bool{}}
}

// answeredPage is a response to a list call, with the page of a valid response.
type answeredPage struct {
	call *mapping.Call // nil beyond the last page
	compare.Document
	mapping.ListPage
	err     error // there is no response
	problem error // there is no page: err, or a response that is no list
}

// advance reads the next page. A list ends at its announced last page, at a response that
// is no list, and at a page without new items: a list might announce pages without end.
func (l *listing) advance(ctx context.Context) {
	l.page = answeredPage{call: l.next}
	l.next = nil
	p := &l.page
	if p.call == nil {
		return
	}
	p.Document, p.err = l.reader(ctx, p.call, l.language)
	page, err := mapping.ParseList(p.call, p.Body)
	switch {
	case p.err != nil:
		p.problem = p.err
		return
	case p.Status != http.StatusOK || err != nil:
		p.problem = fmt.Errorf("status %d, and no list", p.Status)
		return
	}
	p.ListPage = page
	l.total = page.Total
	l.url = cmp.Or(l.url, p.URL)
	n := p.call.Page()
	if l.add(p.Items) && n < p.Pages {
		l.next = p.call.OnPage(n + 1)
	}
}

// add adds items, and reports whether one of them is new.
func (l *listing) add(items []mapping.Listed) (added bool) {
	for _, item := range items {
		if !l.ids[item.ID] {
			l.ids[item.ID], added = true, true
			item.Name = ""
			item.JSON = nil
			l.items = append(l.items, item)
		}
	}
	return added
}

// together runs a and b concurrently, and waits for both.
func together(a, b func()) {
	var wg sync.WaitGroup
	wg.Go(b)
	a()
	wg.Wait()
}

// inOrder runs work for each input, some at once, and passes the results to take in the order of the
// inputs. The first error of take ends inOrder.
func inOrder[T, R any](inputs []T, work func(T) R, take func(R) error) error {
	for chunk := range slices.Chunk(inputs, atOnce) {
		results := make([]R, len(chunk))
		var wg sync.WaitGroup
		for i := range chunk {
			wg.Go(func() { results[i] = work(chunk[i]) })
		}
		wg.Wait()
		for _, r := range results {
			if err := take(r); err != nil {
				return err
			}
		}
	}
	return nil
}
