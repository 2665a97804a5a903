package survey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/report"
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
	result      *report.Collector
	progress    *terminal.Bar
}

// ErrCutOff is the error of a survey that was interrupted.
var ErrCutOff = errors.New("interrupted")

// Run compares everything, and shows its progress on stderr.
func (d *Comparison) Run(ctx context.Context, stderr io.Writer) (report.Report, error) {
	d.names, d.result = map[[3]string]string{}, report.NewCollector()
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
		work := func(n named) report.Step { return d.item(ctx, c, n) }
		if err := inOrder(d.Concurrency, items[i], work, func(s report.Step) error { return d.take(ctx, s) }); err != nil {
			return err
		}
	}
	return nil
}

// take adds a step to the result and, of an item without failures, to the journal.
func (d *Comparison) take(ctx context.Context, s report.Step) error {
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
func (d *Comparison) item(ctx context.Context, c cell, n named) report.Step {
	s := report.Step{Language: c.language, Resource: c.resource(), ID: n.ID}
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
func (d *Comparison) both(ctx context.Context, s *report.Step, call *mapping.Call) (first, candidate compare.Document, ok bool) {
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
func (d *Comparison) compare(s *report.Step, call *mapping.Call, first, candidate compare.Document, again func() (compare.Document, error)) {
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
func fail(s *report.Step, call *mapping.Call, of string, err error) {
	if err != nil {
		s.Failed = append(s.Failed, report.Failure{Call: LineOf(call), Of: of, Why: cut(err.Error(), maxWhy)})
	}
}

// documentOf returns the comparison of two documents that differ.
func documentOf(call *mapping.Call, first, candidate compare.Document, differences []compare.Difference, noise int) report.Document {
	return report.Document{
		Endpoint: call.Endpoint.Name(), Call: LineOf(call), Differences: differences, Noise: noise,
		Legacy: answerOf(call, first), Candidate: answerOf(call, candidate),
	}
}

// maxPage is the maximum length of the URL of a page, in bytes.
const maxPage = 500

// answerOf returns the reported parts of a response, without secrets.
func answerOf(call *mapping.Call, d compare.Document) report.Answer {
	a := report.Answer{URL: compare.WithoutSecrets(d.URL)}
	if page := jsonscan.Text(jsonscan.Get(d.Body, mapping.PageURLName)); call.Endpoint.Action == mapping.Read && d.Status == http.StatusOK && len(page) <= maxPage {
		a.Page = compare.WithoutSecrets(page)
	}
	return a
}
