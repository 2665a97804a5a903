package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// maxSampleBody is in bytes; larger responses are not compared.
const maxSampleBody = 1 << 20

// sample is a response to compare with that of the other backend.
type sample struct {
	call     backendCall
	from     *backend
	document compare.Document
	cell     staging.Cell
}

// sample returns the response to compare, or nil. The call decides, so that the same calls
// are compared each time. Responses are compared in neutral names.
func (s *stage) sample(ctx context.Context, from *backend, c backendCall, got response) *sample {
	if s == nil || c.call.Method != http.MethodGet || !s.candidate.hasLanguage(c.choice) || len(got.body.Body) > maxSampleBody {
		return nil
	}
	o := &s.options.Shadow
	if !o.Credentials && (!c.identity.Anonymous() || c.call.Secret()) {
		return nil
	}
	cell := s.cell(c.call, c.choice)
	if staging.Bucket(c.call.Key(cell.Language)) >= o.Share || !s.options.Matrix.Compares(s.id, cell) {
		return nil
	}
	if c.call.OldNames {
		neutral, _, err := from.rewrite(ctx, c.call.Neutral(), c.choice, got.reply)
		if err != nil {
			return nil
		}
		got.body = neutral
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
	legacy, candidate := &w.document, &w.document
	var ok bool
	if w.from == s.legacy {
		candidate, ok = s.read(ctx, s.candidate, w.call)
	} else {
		legacy, ok = s.read(ctx, s.legacy, w.call)
	}
	if !ok {
		return
	}
	o, endpoint := &s.options.Shadow, w.call.call.Endpoint.Name()
	found, noise := o.Comparer.Documents(endpoint, *legacy, *candidate), 0
	if len(compare.Unknown(found)) > 0 {
		again, ok := s.read(ctx, s.legacy, w.call)
		if !ok {
			return
		}
		var restless []compare.Difference
		found, restless = o.Comparer.Reading(s.itemReader(ctx, w.call)).Real(endpoint, *legacy, *again, *candidate)
		noise = len(restless)
	}
	o.Findings.Add(compare.Where{Endpoint: endpoint, Language: w.cell.Language, Call: maskedCall(w.call.call)}, found, noise)
	unknown := compare.Unknown(found)
	if len(unknown) > 0 {
		s.logDifference(endpoint, w.cell.Language, unknown)
	}
	s.options.Matrix.Compared(s.id, w.cell, len(unknown) > 0)
}

// differsLogEvery is how often the log has a record of a response that differs.
const differsLogEvery = time.Minute

// maxLoggedPaths limits the differences of a response in the log, which has no values.
const maxLoggedPaths = 5

func (s *stage) logDifference(endpoint, language string, found []compare.Difference) {
	s.differsLog.Do(func() {
		var paths []string
		for _, d := range found[:min(len(found), maxLoggedPaths)] {
			paths = append(paths, fmt.Sprintf("%s: %s", cmp.Or(d.Path, "the response"), d.Kind))
		}
		s.log.Warn("a response of the candidate differs", zap.String("backend", s.candidate.name), zap.String("endpoint", endpoint),
			zap.String("language", language), zap.Int("differences", len(found)), zap.Strings("first", paths), zap.Duration("logged_again_after", differsLogEvery))
	})
}

// read makes a call on a backend, with the priority of a refresh. An error of the candidate
// is a response to compare, since clients would get it. An error of the legacy, and a call
// that was not made, prove nothing.
func (s *stage) read(ctx context.Context, from *backend, c backendCall) (*compare.Document, bool) {
	c.class = upstream.Refresh
	got, err := from.perform(ctx, c, new(upstreamRecord))
	if err == nil {
		var body rewrite.Result
		if body, _, err = from.rewrite(ctx, c.call.Neutral(), c.choice, got); err == nil {
			return &compare.Document{Status: got.Status, Body: body.Body}, true
		}
	}
	var e *problem.Error
	made := !errors.Is(err, upstream.ErrOpen) && !errors.Is(err, upstream.ErrShed)
	if from == s.candidate && made && ctx.Err() == nil && errors.As(err, &e) {
		return &compare.Document{Status: e.Status, Body: mapping.ErrorBody(e.Code, "", e.Status)}, true
	}
	s.log.Debug("not compared", zap.String("backend", from.name), zap.Error(err))
	return nil, false
}

// itemReader returns the legacy's responses to reads of items of a list, by id. It reads each once.
func (s *stage) itemReader(ctx context.Context, list backendCall) func(id string) []byte {
	read := map[string][]byte{}
	return func(id string) []byte {
		if item, done := read[id]; done {
			return item
		}
		one := list
		one.call = &mapping.Call{Endpoint: mapping.RowOf(list.call.Endpoint.Resource, mapping.Read, false), Method: http.MethodGet, Item: id, Language: list.call.Language}
		if got, ok := s.read(ctx, s.legacy, one); ok && got.Status == http.StatusOK {
			read[id] = got.Body
		} else {
			read[id] = nil
		}
		return read[id]
	}
}

// maskedCall returns path and query of a call, with secrets masked.
func maskedCall(call *mapping.Call) string {
	masked := call.Masked()
	if query := masked.Canonical(); query != "" {
		return masked.Path() + "?" + query
	}
	return masked.Path()
}
