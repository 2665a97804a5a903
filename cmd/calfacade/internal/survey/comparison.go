package survey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

// Comparison compares a candidate with the legacy site: first their lists, then each item. The order of the
// findings depends on the responses only.
type Comparison struct {
	Legacy, Candidate Reader
	Rules             *compare.Comparer
	Languages         []string
	Sample            int // items of a cell, about; 0 is all
	Journal           *Journal

	CandidateID func(resource, id string) string // id on the candidate
	Facade      []rewrite.Root                   // of calfacade, for links; nil disables links

	walk
	names map[[3]string]string // of items, by language, resource and id
}

// maxListed is the maximum number of findings that a report lists.
const maxListed = 10_000

// Run compares everything, and shows progress on stderr.
func (d *Comparison) Run(ctx context.Context, stderr io.Writer) (Report, error) {
	d.names = map[[3]string]string{}
	d.walk = walk{languages: d.Languages, readList: d.list, readItem: d.item,
		findings: &compare.Findings{Most: maxListed}, journal: d.Journal}
	err := d.run(ctx, "diff", stderr)
	if d.Journal != nil && errors.Is(err, ErrCutOff) {
		err = fmt.Errorf("%w: the same command continues from here", err)
	}
	r := newReport(d.findings.Snapshot())
	for i := range r.Findings {
		d.locate(&r.Findings[i])
	}
	return r, err
}

// locate sets the name, the other id and the URL of the item of a finding.
func (d *Comparison) locate(f *compare.Finding) {
	call := "/" + f.Resource
	if f.ID != "" {
		call += "/" + f.ID
		f.Name = d.names[[3]string{f.Language, f.Resource, f.ID}]
		if id := d.CandidateID(f.Resource, f.ID); id != f.ID {
			f.CandidateID = id
		}
	} else if len(f.Calls) > 0 {
		call = f.Calls[0]
	}
	if d.Facade != nil {
		f.URL = LinkOf(d.Facade, f.Language, call)
	}
}

// item compares the responses to the calls of an item, unless the interrupted comparison has.
func (d *Comparison) item(ctx context.Context, c cell, item mapping.Listed) compare.Step {
	s := c.step(item.ID)
	if earlier, ok := d.Journal.earlier(s); ok {
		return earlier
	}
	for _, call := range mapping.ItemReads(s.Resource, item.ID, item.Slug) {
		var first, candidate compare.Document
		var failed [2]error
		together(
			func() { first, failed[0] = d.Legacy(ctx, call, s.Language) },
			func() { candidate, failed[1] = d.Candidate(ctx, call, s.Language) },
		)
		fail(&s, call, ofLegacy, failed[0])
		fail(&s, call, ofCandidate, failed[1])
		if failed[0] == nil && failed[1] == nil {
			d.compare(ctx, &s, d.Rules, call, first, candidate, nil)
		}
	}
	return s
}

// The backends in failures.
const (
	ofLegacy    = "legacy"
	ofCandidate = "candidate"
)

// compare compares two responses. If they differ, again reads the legacy's once more; nil repeats the call.
func (d *Comparison) compare(ctx context.Context, s *compare.Step, rules *compare.Comparer, call *mapping.Call,
	first, candidate compare.Document, again func() (compare.Document, error)) {
	if again == nil {
		again = func() (compare.Document, error) { return d.Legacy(ctx, call, s.Language) }
	}
	result, err := rules.Compare(call.Endpoint.Name(), first, candidate, again)
	fail(s, call, ofLegacy, err)
	if err != nil {
		return
	}
	s.Compared++
	if len(result.Differences)+len(result.Noise)+len(result.Known) > 0 {
		s.Responses = append(s.Responses, compare.Response{
			Endpoint: call.Endpoint.Name(), Call: call.Line(), Legacy: answerOf(call, first), Candidate: answerOf(call, candidate),
			Result: result,
		})
	}
}

// maxPage is the maximum length of the URL of a page, in bytes.
const maxPage = 500

// answerOf returns the reported parts of a response, without secrets.
func answerOf(call *mapping.Call, d compare.Document) compare.Answer {
	a := compare.Answer{URL: compare.WithoutSecrets(d.URL)}
	page := jsonscan.Text(jsonscan.Get(d.Body, mapping.PageURLName))
	if call.Endpoint.Action == mapping.Read &&
		d.Status == http.StatusOK && len(page) <= maxPage {
		a.Page = compare.WithoutSecrets(page)
	}
	return a
}
