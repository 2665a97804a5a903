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
	"strings"
	"sync"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/crawl"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Comparison compares a candidate with the legacy site: first their lists, then each item. Its
// findings are in an order that depends on the responses only.
type Comparison struct {
	Legacy, Candidate Reader
	Rules             *compare.Comparer
	Languages         []string
	Sample            int // items of a cell, about; 0 is all
	Concurrency       int // items at once
	Journal           *Journal

	CandidateID func(resource, id string) string   // id on the candidate; nil for the same
	URL         func(language, call string) string // of a call at calfacade; nil if it has none
	names       map[[3]string]string               // of items, by language, resource and id
	result      *Collector
	progress    *terminal.Bar
}

// ErrCutOff is the error of a survey that was interrupted.
var ErrCutOff = errors.New("interrupted")

// Run compares everything, and shows its progress on stderr.
func (d *Comparison) Run(ctx context.Context, stderr io.Writer) (Report, error) {
	d.names, d.result = map[[3]string]string{}, NewCollector()
	d.result.CandidateID, d.result.URL = d.CandidateID, d.URL
	d.result.Name = func(language, resource, id string) string { return d.names[[3]string{language, resource, id}] }
	d.progress = terminal.NewBar(stderr, "diff")
	defer d.progress.Close()
	err := d.walk(ctx)
	if ctx.Err() != nil {
		err = ErrCutOff
		if d.Journal != nil {
			err = fmt.Errorf("%w: the same command continues from here", ErrCutOff)
		}
	}
	return d.result.Report(), err
}

// walk compares everything. Its error is one of the journal, or of ctx.
func (d *Comparison) walk(ctx context.Context) error {
	cells := cellsOf(d.Languages)
	items, all := make([][]named, len(cells)), 0
	for i, c := range cells {
		d.progress.Describe(c.String())
		d.result.Tally(c.language, c.resource())
		if items[i] = d.list(ctx, c); ctx.Err() != nil {
			return ctx.Err()
		}
		all += len(items[i])
	}
	d.progress.Expect(all)
	for i, c := range cells {
		d.progress.Describe(c.String())
		work := func(n named) Step { return d.item(ctx, c, n) }
		if err := inOrder(d.Concurrency, items[i], work, func(s Step) error { return d.take(ctx, s) }); err != nil {
			return err
		}
	}
	return nil
}

// take adds a step to the result and, of an item without failures, to the journal.
func (d *Comparison) take(ctx context.Context, s Step) error {
	if ctx.Err() != nil {
		return ctx.Err() // calls failed because of that
	}
	d.progress.Add()
	d.result.Add(s)
	if s.ID == "" || len(s.Failed) > 0 {
		return nil
	}
	return d.Journal.note(s)
}

// item compares the responses to the calls of an item, unless the interrupted comparison has.
func (d *Comparison) item(ctx context.Context, c cell, n named) Step {
	s := Step{Language: c.language, Resource: c.resource(), ID: n.ID}
	if before, ok := d.Journal.before(s); ok {
		return before
	}
	for _, call := range crawl.Reads(s.Resource, n.ID, n.Slug) {
		first, candidate, ok := d.both(ctx, &s, call)
		switch {
		case !ok:
		case n.missing && first.Status == http.StatusOK && candidate.Status >= http.StatusBadRequest:
			differences := []compare.Difference{{Kind: compare.Missing, Cause: compare.MissingItem(s.Resource, n.ID)}}
			s.Compared++
			s.Documents = append(s.Documents, documentOf(call, first, candidate, differences, 0))
		default:
			d.compare(&s, call, first, candidate, func() (compare.Document, error) { return d.Legacy(ctx, call, c.language) })
		}
	}
	return s
}

// both makes a call on both sites, and reports whether both responded.
func (d *Comparison) both(ctx context.Context, s *Step, call *mapping.Call) (first, candidate compare.Document, ok bool) {
	var failed [2]error
	together(
		func() { first, failed[0] = d.Legacy(ctx, call, s.Language) },
		func() { candidate, failed[1] = d.Candidate(ctx, call, s.Language) },
	)
	fail(s, call, ofLegacy, failed[0])
	fail(s, call, ofCandidate, failed[1])
	return first, candidate, failed[0] == nil && failed[1] == nil
}

// compare compares two documents. If they differ, again reads the legacy's once more: differences
// between its two responses are noise.
func (d *Comparison) compare(s *Step, call *mapping.Call, first, candidate compare.Document, again func() (compare.Document, error)) {
	endpoint := call.Endpoint.Name()
	found := d.Rules.Documents(endpoint, first, candidate)
	var noise []compare.Difference
	if len(compare.Unknown(found)) > 0 {
		control, err := again()
		if err != nil {
			fail(s, call, ofLegacy, err)
			return
		}
		found, noise = d.Rules.Real(endpoint, first, control, candidate)
	}
	s.Compared++
	if len(found)+len(noise) > 0 {
		s.Documents = append(s.Documents, documentOf(call, first, candidate, found, len(noise)))
	}
}

// The backends in failures.
const (
	ofLegacy    = "legacy"
	ofCandidate = "candidate"
)

// maxWhy is the maximum length of an error in a failure, in bytes.
const maxWhy = 300

// fail adds a failure of a call to a backend, if err is not nil.
func fail(s *Step, call *mapping.Call, of string, err error) {
	if err != nil {
		s.Failed = append(s.Failed, Failure{Call: LineOf(call), Of: of, Why: cut(err.Error(), maxWhy)})
	}
}

// documentOf returns the comparison of two documents that differ.
func documentOf(call *mapping.Call, first, candidate compare.Document, differences []compare.Difference, noise int) Document {
	return Document{
		Endpoint: call.Endpoint.Name(), Call: LineOf(call), Differences: differences, Noise: noise,
		Legacy: answerOf(call, first), Candidate: answerOf(call, candidate),
	}
}

// maxPage is the maximum length of the URL of a page, in bytes.
const maxPage = 500

// answerOf returns the reported parts of a response, without secrets.
func answerOf(call *mapping.Call, d compare.Document) Answer {
	a := Answer{URL: compare.WithoutSecrets(d.URL)}
	if page := jsonscan.Text(jsonscan.Get(d.Body, mapping.PageURLName)); call.Endpoint.Action == mapping.Read &&
		d.Status == http.StatusOK && len(page) <= maxPage {
		a.Page = compare.WithoutSecrets(page)
	}
	return a
}

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
	ID, Slug string

	place   []byte // see [crawl.Listed.Place]
	missing bool   // in the candidate's list
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

// LineOf returns the path and query of a call.
func LineOf(c *mapping.Call) string {
	if query := c.Canonical(); query != "" {
		return c.Path() + "?" + query
	}
	return c.Path()
}

// cut returns a copy of the beginning of a text, in bytes.
func cut(s string, most int) string {
	return strings.Clone(strings.ToValidUTF8(s[:min(len(s), most)], ""))
}

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

// together runs a and b concurrently, and waits for both.
func together(a, b func()) {
	var other sync.WaitGroup
	other.Go(b)
	a()
	other.Wait()
}

// inOrder runs work for each input, n at once, and passes the results to take in the order of the
// inputs. It stops at the first error of take.
func inOrder[T, R any](n int, inputs []T, work func(T) R, take func(R) error) error {
	for some := range slices.Chunk(inputs, n) {
		results := make([]R, len(some))
		var all sync.WaitGroup
		for i := range some {
			all.Go(func() { results[i] = work(some[i]) })
		}
		all.Wait()
		for _, r := range results {
			if err := take(r); err != nil {
				return err
			}
		}
	}
	return nil
}
