package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// maxSampleBody is in bytes; larger responses are not compared.
const maxSampleBody = 1 << 20

// maxUnlisted is the maximum number of items of a page that are read because only the candidate
// lists them.
const maxUnlisted = 20

// differsLogEvery is how often the log has a record of a response that differs.
const differsLogEvery = time.Minute

// sample is a response to compare with the response of the other site to the same call.
type sample struct {
	call     backendCall
	site     *site // that sent the response
	document compare.Document
	cell     staging.Cell
}

// comparisons compare the responses of the two sites of a migration, in the background.
type comparisons struct {
	*base
	staging    *StagingOptions
	legacy     *site
	candidate  *site
	id         staging.Candidate // of the candidate in the matrix
	queue      *staging.Queue
	differsLog rate.Sometimes
}

// hasLanguage reports whether the candidate has a root for the language of a choice.
func (c *comparisons) hasLanguage(choice i18n.Choice) bool {
	return c.candidate.backend.hasLanguage(choice)
}

// cell returns the cell of a call in the matrix.
func (c *comparisons) cell(call *mapping.Call, choice i18n.Choice) staging.Cell {
	op := staging.Read
	if call.Endpoint.Writes() {
		op = staging.Write
	}
	return staging.Cell{Op: op, Resource: call.Endpoint.Resource, Language: c.options.Site[choice.Index].Code}
}

// sample queues a response of a site for a comparison, unless the queue is full. Reads that a write needs are
// not compared. Responses are compared in neutral names.
func (c *comparisons) sample(ctx context.Context, origin *site, bc backendCall, resp neutralResponse) {
	if c.staging.Comparer == nil || bc.description != nil || bc.call.Method != http.MethodGet || bc.class == upstream.Write ||
		!bc.identity.Anonymous() || bc.call.Secret() || len(resp.body.Body) > maxSampleBody || !c.hasLanguage(bc.choice) {
		return
	}
	cell := c.cell(bc.call, bc.choice)
	if !c.staging.Matrix.Compares(c.id, cell) {
		return
	}
	if bc.call.InLegacyNames { // a response in neutral names needs no second pass
		var err error
		if resp, err = origin.backend.rewrite(ctx, bc.call.Neutral(), bc.choice, resp.reply); err != nil {
			return
		}
	}
	document := compare.Document{Status: resp.reply.Status, Body: resp.body.Body}
	c.queue.Offer(func(ctx context.Context) {
		var logged error
		defer recoverPanic(c.options.Log, "", &logged)
		c.compare(ctx, &sample{call: bc, site: origin, document: document, cell: cell})
	})
}

// compare makes the call of a sample on the other site, and records the differences. A difference counts if it
// remains after the legacy is read again: changes in between do not count, nor do values that differ in each
// response of the legacy.
func (c *comparisons) compare(ctx context.Context, s *sample) {
	o := c.staging
	endpoint := s.call.call.Endpoint.Name()
	legacy := s.document
	candidate := s.document
	readLegacy := func() (compare.Document, error) { return c.document(ctx, c.legacy, s.call) }
	var err error
	if s.site == c.legacy {
		candidate, err = c.document(ctx, c.candidate, s.call)
	} else {
		legacy, err = readLegacy()
	}
	if err != nil {
		return
	}
	rules := o.Comparer.Reading(maxUnlisted, func(call *mapping.Call) (compare.Document, error) {
		item := s.call
		item.call = call
		call.Language = s.call.call.Language
		return c.document(ctx, c.legacy, item)
	})
	result, err := rules.Compare(endpoint, legacy, candidate, readLegacy)
	if err != nil {
		return
	}
	step := compare.Step{Language: s.cell.Language, Resource: s.cell.Resource, Compared: 1}
	step.Responses = []compare.Response{{Endpoint: endpoint, Call: s.call.call.Masked().Line(), Result: result}}
	o.Findings.Add(step)
	if len(result.Differences) > 0 {
		c.logDifference(endpoint, s.cell.Language, result.Differences)
	}
	o.Matrix.Compared(c.id, s.cell, len(result.Differences) > 0)
}

// maxLoggedPaths limits the differences of a response in the log, which has no values.
const maxLoggedPaths = 5

func (c *comparisons) logDifference(endpoint, language string, differences []compare.Difference) {
	c.differsLog.Do(func() {
		var paths []string
		for _, d := range differences[:min(len(differences), maxLoggedPaths)] {
			paths = append(paths, fmt.Sprintf("%s: %s", cmp.Or(d.Path, "the response"), d.Kind))
		}
		c.options.Log.Warn("a response of the candidate differs",
			zap.String("backend", c.candidate.backend.name), zap.String("endpoint", endpoint),
			zap.String("language", language), zap.Int("differences", len(differences)), zap.Strings("first", paths),
			zap.Duration("logged_again_after", differsLogEvery))
	})
}

// document makes a call on a site, with the priority of a refresh. An error of the candidate
// is a response to compare, since clients would get that error. An error of the legacy, and a call
// that was not made, prove nothing.
func (c *comparisons) document(ctx context.Context, s *site, bc backendCall) (compare.Document, error) {
	bc.class = upstream.Refresh
	bc.request = ""
	bc.shadow = true
	reply, err := s.backend.do(ctx, bc, new(calls))
	if err == nil {
		var neutral neutralResponse
		if neutral, err = s.backend.rewrite(ctx, bc.call.Neutral(), bc.choice, reply); err == nil {
			return compare.Document{Status: reply.Status, Body: neutral.body.Body}, nil
		}
	}
	isSent := !errors.Is(err, upstream.ErrOpen) && !errors.Is(err, upstream.ErrShed)
	if e, ok := errors.AsType[*problem.Error](err); ok && s == c.candidate && isSent && ctx.Err() == nil {
		return compare.Document{Status: e.Status, Body: mapping.ErrorBody(e.Code, "", e.Status)}, nil
	}
	c.options.Log.Debug("not compared", zap.String("backend", s.backend.name), zap.Error(err))
	return compare.Document{}, err
}
