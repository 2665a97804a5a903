package proxy

import (
	"context"
	"errors"
	"net/http"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// ShadowOptions say which answers of one backend are compared with what the other
// says. It is done apart from answering, once the client has its answer.
type ShadowOptions struct {
	Limits      staging.Limits
	Share       int            // percent of the reads that a backend answered, the same calls each time
	Shares      map[string]int // in place of Share, by "es:events.list" or else "events.list"
	Credentials bool           // also what was read with credentials, or a password; they go to both
	Comparer    *compare.Comparer
	Findings    *compare.Findings // outlives the facade
}

// share is how many percent of the reads of an endpoint are compared.
func (o ShadowOptions) share(endpoint, language string) int {
	if share, ok := o.Shares[language+":"+endpoint]; ok {
		return share
	}
	if share, ok := o.Shares[endpoint]; ok {
		return share
	}
	return o.Share
}

// maxWitnessed is how large an answer may be to wait for its comparison, in bytes.
const maxWitnessed = 1 << 20

// witness is an answer that waits for what the other backend says.
type witness struct {
	q    question
	from *backend
	said compare.Document
	cell staging.Cell
}

// witness keeps an answer to be compared, or gives nil. The sample goes by the call,
// so that the same ones are looked at again and again.
func (s *stage) witness(from *backend, q question, got answer) *witness {
	if s == nil || q.call.Method != http.MethodGet || !s.candidate.speaks(q.choice) || len(got.body.Body) > maxWitnessed {
		return nil
	}
	o := &s.options.Shadow
	if !o.Credentials && (!q.who.Anonymous() || q.call.Secret()) {
		return nil
	}
	cell := s.cell(q.call, q.choice)
	if staging.Bucket(q.call.Key(cell.Language)) >= o.share(q.call.Endpoint.Name(), cell.Language) || !s.options.Matrix.Route(s.who, cell, 0).Compare {
		return nil
	}
	return &witness{q, from, compare.Document{Status: got.reply.Status, Body: got.body.Body}, cell}
}

// offer has w compared soon, if there is room. nil is nothing to compare.
func (s *stage) offer(w *witness) {
	if w != nil {
		s.queue.Offer(func(ctx context.Context) {
			var told error
			defer caught(s.log, "", &told)
			s.compare(ctx, w)
		})
	}
}

// compare asks the other backend what w answers, and tells what differs. A
// difference must be there as well when the legacy is read again: what changed in
// between, and what the legacy says differently each time, is none.
func (s *stage) compare(ctx context.Context, w *witness) {
	legacy, candidate := &w.said, &w.said
	var ok bool
	if w.from == s.legacy {
		candidate, ok = s.read(ctx, s.candidate, w.q)
	} else {
		legacy, ok = s.read(ctx, s.legacy, w.q)
	}
	if !ok {
		return
	}
	o, endpoint := &s.options.Shadow, w.q.call.Endpoint.Name()
	differs := false
	if len(o.Comparer.Documents(endpoint, *legacy, *candidate)) > 0 {
		again, ok := s.read(ctx, s.legacy, w.q)
		if !ok {
			return
		}
		found, noise := o.Comparer.Real(endpoint, *legacy, *again, *candidate)
		o.Findings.Add(compare.Where{Endpoint: endpoint, Language: w.cell.Language, Call: shownCall(w.q.call)}, found)
		o.Findings.Noise(endpoint, w.cell.Language, len(noise))
		differs = len(found) > 0
	}
	o.Findings.Compared(endpoint, w.cell.Language)
	s.options.Matrix.Compared(s.who, w.cell, differs)
}

// read asks a backend as the question says, but gives way to clients. A failure is
// an answer of the candidate, whose clients would get it, and none of the legacy,
// which then proves nothing; nor is a call that was not made.
func (s *stage) read(ctx context.Context, from *backend, q question) (*compare.Document, bool) {
	q.class = upstream.Refresh
	got, err := from.answer(ctx, q, new(upstreamRecord))
	if err == nil {
		return &compare.Document{Status: got.reply.Status, Body: got.body.Body}, true
	}
	var e *problem.Error
	made := !errors.Is(err, upstream.ErrOpen) && !errors.Is(err, upstream.ErrShed)
	if from == s.candidate && made && ctx.Err() == nil && errors.As(err, &e) {
		return &compare.Document{Status: e.Status, Body: mapping.ErrorBody(e.Code, "", e.Status)}, true
	}
	s.log.Debug("not compared", zap.String("backend", from.name), zap.Error(err))
	return nil, false
}

// shownCall is path and query of a call as operators may see them.
func shownCall(call *mapping.Call) string {
	masked := call.Masked()
	if query := masked.Canonical(); query != "" {
		return masked.Path() + "?" + query
	}
	return masked.Path()
}

// Dropped counts the comparisons that there was no room for.
func (f *Facade) Dropped() uint64 {
	if f.stage == nil {
		return 0
	}
	return f.stage.queue.Dropped()
}
