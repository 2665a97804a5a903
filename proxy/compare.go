package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// maxSampleBody is in bytes; larger responses are not compared.
const maxSampleBody = 1 << 20

// maxUnlisted is the maximum number of items of a page that are read because only the candidate
// lists them.
const maxUnlisted = 20

// sample returns the response to compare, or nil. Responses are compared in neutral names.
func (s *stage) sample(ctx context.Context, from *backend, c backendCall, got response) *sample {
	if s == nil || s.options.Comparer == nil || c.description != nil || c.call.Method != http.MethodGet ||
		!c.identity.Anonymous() || c.call.Secret() || len(got.body.Body) > maxSampleBody || !s.candidate.hasLanguage(c.choice) {
		return nil
	}
	cell := s.cell(c.call, c.choice)
	if !s.options.Matrix.Compares(s.id, cell) {
		return nil
	}
	if c.call.OldNames {
		var err error
		if got, err = from.rewrite(ctx, c.call.Neutral(), c.choice, got.reply); err != nil {
			return nil
		}
	}
	return &sample{c, from, compare.Document{Status: got.reply.Status, Body: got.body.Body}, cell}
}

// offer queues a sample, unless the queue is full. It ignores nil.
func (s *stage) offer(w *sample) {
	if w != nil {
		s.queue.Offer(func(ctx context.Context) {
			var logged error
			defer recoverPanic(s.log, "", &logged)
			s.compare(ctx, w)
		})
	}
}

// compare makes the call of a sample on the other backend, and records what differs. A
// difference counts if it is still there when the legacy is read again: not if it is due to a
// change in between, or to values that differ in each response of the legacy.
func (s *stage) compare(ctx context.Context, w *sample) {
	o, endpoint := &s.options, w.call.call.Endpoint.Name()
	legacy, candidate := w.document, w.document
	readLegacy := func() (compare.Document, error) { return s.read(ctx, s.legacy, w.call) }
	var err error
	if w.from == s.legacy {
		candidate, err = s.read(ctx, s.candidate, w.call)
	} else {
		legacy, err = readLegacy()
	}
	if err != nil {
		return
	}
	rules := o.Comparer.Reading(maxUnlisted, func(call *mapping.Call) (compare.Document, error) {
		one := w.call
		one.call, call.Language = call, w.call.call.Language
		return s.read(ctx, s.legacy, one)
	})
	found, err := rules.Compare(endpoint, legacy, candidate, readLegacy)
	if err != nil {
		return
	}
	response := compare.Response{Endpoint: endpoint, Call: w.call.call.Masked().Line(), Result: found}
	o.Findings.Add(compare.Step{Language: w.cell.Language, Resource: w.cell.Resource, Compared: 1, Responses: []compare.Response{response}})
	if len(found.Differences) > 0 {
		s.logDifference(endpoint, w.cell.Language, found.Differences)
	}
	s.options.Matrix.Compared(s.id, w.cell, len(found.Differences) > 0)
}

// maxLoggedPaths limits the differences of a response in the log, which has no values.
const maxLoggedPaths = 5

func (s *stage) logDifference(endpoint, language string, found []compare.Difference) {
	s.differsLog.Do(func() {
		var paths []string
		for _, d := range found[:min(len(found), maxLoggedPaths)] {
			paths = append(paths, fmt.Sprintf("%s: %s", cmp.Or(d.Path, "the response"), d.Kind))
		}
		s.log.Warn("a response of the candidate differs", zap.String("backend", s.candidate.name), zap.String("endpoint", endpoint),
			zap.String("language", language), zap.Int("differences", len(found)), zap.Strings("first", paths),
			zap.Duration("logged_again_after", differsLogEvery))
	})
}

// read makes a call on a backend, with the priority of a refresh. An error of the candidate
// is a response to compare, since clients would get it. An error of the legacy, and a call
// that was not made, prove nothing.
func (s *stage) read(ctx context.Context, from *backend, c backendCall) (compare.Document, error) {
	c.class = upstream.Refresh
	c.request = ""
	c.shadow = true
	got, err := from.perform(ctx, c, new(calls))
	if err == nil {
		var neutral response
		if neutral, err = from.rewrite(ctx, c.call.Neutral(), c.choice, got); err == nil {
			return compare.Document{Status: got.Status, Body: neutral.body.Body}, nil
		}
	}
	made := !errors.Is(err, upstream.ErrOpen) && !errors.Is(err, upstream.ErrShed)
	if e, ok := errors.AsType[*problem.Error](err); ok && from == s.candidate && made && ctx.Err() == nil {
		return compare.Document{Status: e.Status, Body: mapping.ErrorBody(e.Code, "", e.Status)}, nil
	}
	s.log.Debug("not compared", zap.String("backend", from.name), zap.Error(err))
	return compare.Document{}, err
}
