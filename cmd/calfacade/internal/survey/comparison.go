package survey

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/crawl"
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
