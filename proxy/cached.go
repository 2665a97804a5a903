package proxy

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/tracing"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// lookup returns the entry for a read, and sets the outcome of the request. Calls with credentials or a secret
// never get here. lookup is apart from serve so that this frame is not on the stack while the response is
// written; see serveUnknown.
func (s *site) lookup(x *exchange) (got cache.Result, err error) {
	t := x.target
	ctx, end := tracing.Start(x, s.options.Tracer, "cache", trace.SpanKindInternal)
	got, err = s.options.Cache.Serve(ctx, x.known, x.key, func(ctx context.Context, why cache.Reason) (cache.Fetched, error) {
		var made calls
		if !why.Refresh {
			ctx = context.WithValue(ctx, upstream.ClientKey{}, x.client())
		}
		call := backendCall{
			call: t.call, choice: t.choice, class: classOf(why), request: x.id, description: t.description,
		}
		fetched, err := s.fetch(ctx, call, why.Waited, &made)
		x.fetched.Store(&made)
		return fetched, err
	})
	if made := x.fetched.Load(); made != nil {
		x.calls.add(made.count, made.status, made.took)
	}
	if err == nil {
		x.outcome = telemetry.OutcomeOf(got)
	}
	if s.options.Tracer != nil { // a hit does not pay for the attributes
		end(err, lookupAttributes(x.outcome, got.Collapsed)...)
	}
	if err == nil && x.target.OldNames {
		got.Entry = x.selected(got.Entry)
	}
	return got, err
}

// classOf returns the priority of a fetch.
func classOf(why cache.Reason) upstream.Class {
	switch {
	case why.Refresh:
		return upstream.Refresh
	case why.Known:
		return upstream.Known
	}
	return upstream.Read
}

// fetch makes the entry for a call, after the caller waited for another instance. Every shared response is made
// here, and depends on nothing but the call.
func (s *site) fetch(ctx context.Context, c backendCall, waited time.Duration, made *calls) (fetched cache.Fetched, err error) {
	defer recoverPanic(s.options.Log, c.request, &err)
	leave, err := s.edge.AdmitUncached(upstream.ClientOf(ctx), false)
	if err != nil {
		return cache.Fetched{Refused: true}, err
	}
	defer leave()
	ctx, cancel, err := afterWaiting(ctx, waited, s.backend.upstream.Timeout())
	if err != nil {
		return cache.Fetched{}, err
	}
	defer cancel()
	began := s.options.Clock()
	got, err := s.obtain(ctx, c, made)
	if err != nil {
		return cache.Fetched{Refused: errors.Is(err, upstream.ErrShed)}, err
	}
	o, header := s.options.Freshness, got.reply.Header
	language := s.options.Site[c.choice.Index].Code
	terms := o.Terms(c.call, language, got.reply.Status, header, began)
	if got.old {
		terms = terms.Withheld()
	}
	if obstacle, found := o.Obstacle(header); found {
		s.warned.Do(func() {
			s.options.Log.Warn("not cached", zap.String("backend", s.backend.name), zap.String("endpoint", c.call.Endpoint.Name()),
				zap.Stringer("problem", obstacle))
		})
	}
	tag := etag(got.body.Body)
	entry := &cache.Entry{
		Status: got.reply.Status,
		ETag:   tag,
		Body:   got.body.Body,
		Gzip:   compress(got.body.Body),
		Life:   terms.Life,
		Aged:   terms.Aged,
	}
	if c.description == nil {
		entry.Tags = c.call.Tags(s.spaces[c.choice.Index], language, got.body.Shows)
	}
	s.options.Surrogate.SetEntry(got.header, terms, entry.Tags)
	entry.Fields = entryFields(got.header, tag, terms.Date)
	return cache.Fetched{Entry: entry, Store: terms.Life != cache.Life{}, Share: terms.Shared}, nil
}

// afterWaiting limits a fetch to the time that the caller has left after waiting for another instance: a site
// that hangs does not answer the second call either.
func afterWaiting(ctx context.Context, waited, timeout time.Duration) (context.Context, context.CancelFunc, error) {
	if waited == 0 {
		return ctx, func() {}, nil
	}
	left := timeout - waited
	if left < timeout/10 {
		return nil, nil, siteFailure("calendar_upstream_timeout", errWaited)
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	return ctx, cancel, nil
}

// errWaited is the cause of an error without a call.
var errWaited = errors.New("another instance has waited for the site in vain")

// entryFields returns the header fields that an entry stores, sorted. date is when the response
// was made: a hit has the same (RFC 9110, 6.6.1).
func entryFields(h http.Header, tag string, date time.Time) []cache.Field {
	h["Etag"] = []string{tag}
	h["Date"] = []string{date.UTC().Format(http.TimeFormat)}
	delete(h, "Expires")
	delete(h, "Age") // the entry has an Age
	all := make([]cache.Field, 0, len(h))
	for name, values := range h {
		// Cloned, for net/http has one array for the values of all fields.
		all = append(all, cache.Field{Name: name, Values: slices.Clone(values)})
	}
	slices.SortFunc(all, func(a, b cache.Field) int { return strings.Compare(a.Name, b.Name) })
	return all
}
