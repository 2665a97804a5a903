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
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/tracing"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// lookup returns the entry of key, for a read of a whole response, and sets the outcome of the request. Calls with
// credentials or a secret never get here.
func (s *site) lookup(x *exchange, key string) (result cache.Result, err error) {
	t := x.target
	ctx := context.Context(x)
	if s.options.Tracer != nil {
		below, end := tracing.Start(x, s.options.Tracer, "cache", trace.SpanKindInternal)
		ctx = below
		defer func() { end(err, lookupAttributes(x.outcome, result.Collapsed)...) }()
	}
	result, err = s.options.Cache.Serve(ctx, x.purgesKnown, key, func(ctx context.Context, why cache.Reason) (cache.Fetched, error) {
		var record calls
		if !why.Refresh {
			ctx = context.WithValue(ctx, upstream.ClientKey{}, x.client())
		}
		call := backendCall{
			call: t.call.Whole(), choice: t.choice, class: classOf(why), request: x.id, description: t.description,
		}
		fetched, err := s.fetch(ctx, call, why.Waited, &record)
		x.fetched.Store(&record)
		return fetched, err
	})
	if record := x.fetched.Load(); record != nil {
		x.calls.add(record.count, record.status, record.took)
	}
	if err == nil {
		x.outcome = telemetry.OutcomeOf(result)
	}
	if err == nil && len(t.fields) > 0 {
		result.Entry = x.selected(result.Entry)
	}
	return result, err
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
func (s *site) fetch(ctx context.Context, c backendCall, waited time.Duration, record *calls) (fetched cache.Fetched, err error) {
	defer recoverPanic(s.options.Log, c.request, &err)
	leave, err := s.edge.AdmitUncached(upstream.ClientOf(ctx), false)
	if err != nil {
		return cache.Fetched{Refused: true}, err
	}
	defer leave()
	if waited > 0 {
		var cancel context.CancelFunc
		if ctx, cancel, err = afterWaiting(ctx, waited, s.backend.upstream.Timeout()); err != nil {
			return cache.Fetched{}, err
		}
		defer cancel()
	}
	began := s.options.Clock()
	resp, err := s.obtain(ctx, c, record)
	if err != nil {
		return cache.Fetched{Refused: errors.Is(err, upstream.ErrShed)}, err
	}
	language := s.options.Site[c.choice.Index].Code
	terms := s.options.Freshness.Terms(c.call, language, resp.reply.Status, resp.reply.Header, began)
	if resp.old {
		terms = terms.Withheld()
	}
	if terms.Obstacle != (freshness.Obstacle{}) {
		s.warned.Do(func() {
			s.options.Log.Warn("not cached", zap.String("backend", s.backend.name), zap.String("endpoint", c.call.Endpoint.Name()),
				zap.Stringer("problem", terms.Obstacle))
		})
	}
	tag := etag(resp.body.Body)
	entry := &cache.Entry{
		Status: resp.reply.Status,
		ETag:   tag,
		Body:   resp.body.Body,
		Gzip:   compress(resp.body.Body),
		Life:   terms.Life,
		Aged:   terms.Aged,
	}
	if c.description == nil {
		entry.Tags = c.call.Tags(s.spaces[c.choice.Index], language, resp.body.Shows)
	}
	s.options.Surrogate.SetEntry(resp.header, terms, entry.Tags)
	entry.Fields = entryFields(resp.header, tag, terms.Date)
	return cache.Fetched{Entry: entry, Store: terms.Life != cache.Life{}, Share: terms.Shared}, nil
}

// afterWaiting limits a fetch to the time that the caller has left after waiting for another instance: a site
// that hangs does not answer the second call either.
func afterWaiting(ctx context.Context, waited, timeout time.Duration) (context.Context, context.CancelFunc, error) {
	remaining := timeout - waited
	if remaining < timeout/10 {
		return nil, nil, siteFailure("calendar_upstream_timeout", errWaited)
	}
	ctx, cancel := context.WithTimeout(ctx, remaining)
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
	fields := make([]cache.Field, 0, len(h))
	for name, values := range h {
		// Cloned, for net/http has one array for the values of all fields.
		fields = append(fields, cache.Field{Name: name, Values: slices.Clone(values)})
	}
	slices.SortFunc(fields, func(a, b cache.Field) int { return strings.Compare(a.Name, b.Name) })
	return fields
}
