package survey

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/crawl"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Comparison compares a candidate with the legacy site: first their lists, then each
// item of these. It records its findings as steps, in an order that depends on the
// responses only, so that a journal of the steps can replace the work.
type Comparison struct {
	Legacy, Candidate Reader
	Rules             *compare.Comparer
	Languages         []string
	Sample            int // items of a cell, about; 0 is all
	Concurrency       int // items at once

	Journal *Journal // nil keeps none
	Answers *Answers // nil stores none

	// Smaller reports whether a site that fails with an error may respond to a call for less; nil
	// for never.
	Smaller func(error) bool

	CandidateID func(resource, id string) string // of what the legacy calls id; nil for the same

	cells    []cell // of languages
	progress *counter
	result   *result
}

// ErrCutOff is the error of a survey that was interrupted.
var ErrCutOff = errors.New("interrupted")

func (d *Comparison) begin() {
	d.cells = cellsOf(d.Languages)
	d.result, d.progress = newResult(d.cells), newCounter(len(d.cells), time.Now)
}

// Complete reports whether it made every step that the lists announced.
func (d *Comparison) Complete() bool {
	s := d.progress.state()
	return s.all && s.done == s.want
}

// record adds a new step to the journal and to the result.
func (d *Comparison) record(c cell, s step) error {
	if err := d.Answers.store(c.language, &s); err != nil {
		return err
	}
	if err := d.Journal.write(s); err != nil {
		return err
	}
	d.take(c, s, false)
	return nil
}

// take adds a step to the result, of this run or of the one before.
func (d *Comparison) take(c cell, s step, before bool) {
	d.result.take(c, s)
	if s.Expect != nil {
		d.progress.expect(c, s.Expect.Pages+s.Expect.Items)
	}
	if s.Row != nil {
		d.progress.expect(c, d.progress.of(c)+len(d.sampled(c, *s.Row)))
		return
	}
	d.progress.did(c, len(s.Failed), before)
}

// items compares the items of the legacy's list.
func (d *Comparison) items(ctx context.Context, c cell, r row) error {
	todo := d.sampled(c, r)
	for len(todo) > 0 {
		done, ok, err := d.Journal.next(stepOf(c, todo[0].ID))
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		d.take(c, done, true)
		todo = todo[1:]
	}
	work := func(ctx context.Context, i surveyed) step { return d.item(ctx, c, i) }
	return inOrder(ctx, d.Concurrency, slices.Values(todo), work, func(s step) error {
		if err := ctx.Err(); err != nil {
			return err // its calls failed because of that
		}
		return d.record(c, s)
	})
}

// surveyed is an item of a cell, to be compared.
type surveyed struct {
	named
	missing bool // in the candidate's list
}

func (d *Comparison) sampled(c cell, r row) []surveyed {
	missing := map[string]bool{}
	for _, id := range r.Missing {
		missing[id] = true
	}
	var all []surveyed
	for _, n := range r.Items {
		if sampled(c, n.ID, d.Sample, len(r.Items)) {
			all = append(all, surveyed{n, missing[n.ID]})
		}
	}
	return all
}

// item compares the responses to the calls of an item.
func (d *Comparison) item(ctx context.Context, c cell, i surveyed) step {
	s := step{Name: stepOf(c, i.ID), End: true}
	for _, call := range crawl.Reads(c.resource(), i.ID, i.Slug) {
		d.call(ctx, &s, c, call, i.missing)
	}
	return s
}

// call compares the responses to one call. It ignores a 404 for an item that the
// candidate's list lacks, which is a finding about the list.
func (d *Comparison) call(ctx context.Context, s *step, c cell, call *mapping.Call, missing bool) {
	var first, candidate compare.Document
	var failed [2]error
	together(
		func() { first, failed[0] = d.Legacy(ctx, call, c.language) },
		func() { candidate, failed[1] = d.Candidate(ctx, call, c.language) },
	)
	s.fail(call, ofLegacy, failed[0])
	s.fail(call, ofCandidate, failed[1])
	if failed[0] != nil || failed[1] != nil {
		return
	}
	if missing && first.Status == http.StatusOK && candidate.Status >= http.StatusBadRequest {
		s.Also = append(s.Also, differing(call, first, candidate, []compare.Difference{{Kind: compare.Missing, Cause: compare.MissingItem(c.resource(), c.idIn(*s))}}))
		return
	}
	d.compare(ctx, s, c, call, first, candidate, func(ctx context.Context) (compare.Document, error) {
		return d.Legacy(ctx, call, c.language)
	})
}

// compare compares two documents. If they differ, it reads the legacy's document again:
// differences between its two responses are noise.
func (d *Comparison) compare(ctx context.Context, s *step, c cell, call *mapping.Call, first, candidate compare.Document, control func(context.Context) (compare.Document, error)) {
	endpoint := call.Endpoint.Name()
	switch found := d.Rules.Documents(endpoint, first, candidate); {
	case len(found) == 0:
		s.Same = append(s.Same, endpoint)
		return
	case len(compare.Unknown(found)) == 0:
		s.Found = append(s.Found, finding{Endpoint: endpoint, Call: lineOf(call), Differences: found})
		return
	}
	again, err := control(ctx)
	if err != nil {
		s.fail(call, ofLegacy, err)
		return
	}
	real, noise := d.Rules.Real(endpoint, first, again, candidate)
	f := differing(call, first, candidate, real)
	f.Noise = len(noise)
	s.Found = append(s.Found, f)
}

// differing returns the comparison of two documents that differ.
func differing(call *mapping.Call, first, candidate compare.Document, differences []compare.Difference) finding {
	f := finding{Endpoint: call.Endpoint.Name(), Call: lineOf(call), Differences: differences}
	if len(compare.Unknown(differences)) > 0 {
		f.documents = [2]compare.Document{first, candidate}
		f.Legacy.URL, f.Candidate.URL = urlOf(first), urlOf(candidate)
		if call.Endpoint.Action == mapping.Read {
			f.Legacy.Page, f.Candidate.Page = pageOf(first), pageOf(candidate)
		}
	}
	return f
}

// maxPage is the maximum length of the URL of a page, in bytes.
const maxPage = 500

// pageOf returns the URL of the page of an item; "" if it has none.
func pageOf(d compare.Document) string {
	if d.Status != http.StatusOK {
		return ""
	}
	page := compare.WithoutSecrets(jsonscan.Text(jsonscan.Get(d.Body, mapping.PageURLName)))
	if len(page) > maxPage {
		return ""
	}
	return page
}

// urlOf returns the URL of the request that a document was made of; "" if it is not known.
func urlOf(d compare.Document) string {
	if len(d.Sources) == 0 {
		return ""
	}
	return compare.WithoutSecrets(d.Sources[0].URL)
}
