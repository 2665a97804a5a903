package proxy

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/probe"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/tracing"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// write sends a write to a backend, purges what it changes, and responds.
func (s *site) write(x *exchange, id edge.Identity) error {
	call, err := s.prepare(x, id)
	if err != nil {
		return err
	}
	// From here on the outcome is unknown until the backend responds, also if this code panics. A client
	// that closes the connection does not cancel the call: its outcome would stay unknown.
	ctx := context.WithoutCancel(x)
	sent := s.announce(ctx, x, call, id)
	err = s.sendWrite(ctx, x, call, sent, id)
	if errors.Is(err, errPanic) {
		s.doubt(ctx, sent)
		return outcomeUnknown(err)
	}
	return err
}

// prepare checks the conditions of a write, makes the reads that it needs, and converts its
// dates to the site clock. If it fails nothing has been written. The error is errAnswered if the
// client may not read the item, or the item does not exist.
func (s *site) prepare(x *exchange, id edge.Identity) (call *mapping.Call, err error) {
	dialect, c := &s.backend.dialect, conditionsOf(x.in.Header)
	if first := dialect.FirstRead(x.target.call); c != nil && (first == nil || !first.Edits) {
		now, err := s.read(x, x.target.call.Target(), id)
		if err == nil {
			err = c.verdict(now.body.Body)
		}
		if err != nil {
			return nil, err
		}
		c = nil
	}
	call, err = dialect.Prepare(x.target.call, func(lookup *mapping.Call) ([]byte, error) {
		read, err := s.read(x, lookup, id)
		if err == nil && c != nil {
			err, c = s.check(x, c, lookup, read.body.Body, id), nil
		}
		return read.reply.Body, err
	})
	if err != nil {
		return nil, unusable(x.target.call, err)
	}
	if faults := call.Losses(); faults != nil && handlingOf(x.in.Header["Prefer"]) == "strict" {
		x.out.Header()["Preference-Applied"] = []string{"handling=strict"}
		return nil, faults
	}
	var site *time.Location
	if dialect.NeedsSiteZone(call) {
		site, err = s.options.SiteZone(x, s.backend.roots[x.target.choice.Index].Upstream)
		if err != nil && !errors.Is(err, probe.ErrZoneHidden) { // else a fault asks for what does without the zone
			return nil, unavailable(err)
		}
	}
	return dialect.InLocalTime(call, site, s.options.Clock())
}

// sendWrite sends a write that was announced, purges what it changed, and responds.
func (s *site) sendWrite(ctx context.Context, x *exchange, call *mapping.Call, sent announced, id edge.Identity) (err error) {
	defer recoverPanic(s.options.Log, x.id, &err)
	got, err := s.ask(ctx, x, call, id, upstream.Write)
	switch {
	case err != nil && nothingDone(call, err):
		sent.Withdraw()
		return x.noteCreated(call, err)
	case err != nil:
		s.doubt(ctx, sent)
		return x.noteCreated(call, err)
	}
	if got.reply.Status >= http.StatusBadRequest {
		if created := call.CreatedBefore(got.reply.Body); len(created) > 0 { // in spite of the refusal
			s.purge(ctx, x, sent, call.Purges(s.spaces[x.target.choice.Index], "", nil))
			got.body.Body = mapping.AddToMessage(got.body.Body, x.createdNote(created))
		} else {
			sent.Withdraw()
		}
		s.send(x, got, id)
		return nil
	}
	s.purge(ctx, x, sent, call.Purges(s.spaces[x.target.choice.Index], got.body.ID, got.body.Shows))
	if err := s.verify(x, call, got); err != nil {
		return err
	}
	s.send(x, got, id)
	return nil
}

// nothingDone reports whether the error of a write means that it changed nothing. If it describes items in place,
// the site may have created them before.
func nothingDone(call *mapping.Call, err error) bool {
	if errors.Is(err, upstream.ErrNotSent) {
		return true
	}
	e, ok := errors.AsType[*problem.Error](err)
	return ok && e.Code != codeOutcomeUnknown && e.Code != codeInternal && len(call.Inline()) == 0
}

// noteCreated adds to an error what the site may have created on the way, unless nothing
// was sent.
func (x *exchange) noteCreated(call *mapping.Call, err error) error {
	e, ok := errors.AsType[*problem.Error](err)
	created := call.Inline()
	if len(created) == 0 || errors.Is(err, upstream.ErrNotSent) || !ok {
		return err
	}
	noted := *e
	noted.Note = x.createdNote(created)
	return &noted
}

func (x *exchange) createdNote(items []string) string {
	return x.texts.Text("error.kept", map[string]string{"Items": strings.Join(items, ", ")})
}

// announced is a write and what announces its outcome to all instances.
type announced struct {
	*cache.Announcement         // nil without a cache
	by                  *writer // nil: the write is not announced before it is sent
}

// announce announces a write to all instances, so that they do not serve what it changes as
// fresh if this instance dies before it purges. A write of an identity that the site has not
// accepted is not announced: any client could keep the cache in doubt.
func (s *site) announce(ctx context.Context, x *exchange, call *mapping.Call, id edge.Identity) announced {
	if s.options.Cache == nil {
		return announced{}
	}
	tags := call.Purges(s.spaces[x.target.choice.Index], "", nil)
	by := s.accepted.find(id, s.options.Clock())
	if by == nil {
		return announced{Announcement: s.options.Cache.Unannounced(tags)}
	}
	return announced{Announcement: s.options.Cache.Announce(ctx, tags), by: by}
}

// doubt purges what a write of unknown outcome may have changed, and leaves its tags in
// doubt: the site may still execute it. A writer has one doubt at a time, which covers all its writes.
func (s *site) doubt(ctx context.Context, sent announced) {
	ctx, end := tracing.Start(ctx, s.options.Tracer, "purge", trace.SpanKindInternal)
	defer end(nil)
	if sent.by == nil {
		sent.Doubt(ctx, cache.FromWrite, nil)
		return
	}
	sent.by.doubting.Lock()
	defer sent.by.doubting.Unlock()
	sent.Doubt(ctx, cache.FromWrite, sent.by.doubt)
	sent.by.doubt = sent.Announcement
}

// purge purges the tags that a write has changed. The response says so in Cache-Status if the other
// instances do not know that yet.
func (s *site) purge(ctx context.Context, x *exchange, sent announced, tags []string) {
	ctx, end := tracing.Start(ctx, s.options.Tracer, "purge", trace.SpanKindInternal)
	if !sent.Purge(ctx, cache.Purge{Tags: tags, From: cache.FromWrite}) {
		s.uncached(x, "method; detail=purge-pending")
	}
	end(nil, attribute.Int("calfacade.tags", len(tags)))
}

// conditions are the preconditions of a write, so that a client does not overwrite a change
// that it has not seen (RFC 9110, 13.1). The site does not support them: the item is read
// before the write, and a change between the two goes unnoticed.
type conditions struct {
	match, noneMatch []string  // lines of the fields; nil: absent
	unmodified       time.Time // zero: absent, or to be ignored
}

// conditionsOf returns the conditions of a write; nil without any.
func conditionsOf(h http.Header) *conditions {
	c := conditions{match: h["If-Match"], noneMatch: h["If-None-Match"]}
	if c.match == nil {
		c.unmodified, _ = http.ParseTime(h.Get("If-Unmodified-Since")) // an invalid date is ignored (13.1.4)
	}
	if c.match == nil && c.noneMatch == nil && c.unmodified.IsZero() {
		return nil
	}
	return &c
}

// verdict returns an error if the conditions do not hold for an item with this representation. An item
// without a date of modification, such as a category, counts as never modified.
func (c *conditions) verdict(item []byte) error {
	tag := etag(item)
	if c.match != nil && !matches(c.match, tag, true) || matches(c.noneMatch, tag, false) ||
		!c.unmodified.IsZero() && mapping.Modified(item).After(c.unmodified) {
		return problem.PreconditionFailed(tag)
	}
	return nil
}

// check returns an error if the conditions do not hold for the item that was read for editing.
func (s *site) check(x *exchange, c *conditions, lookup *mapping.Call, read []byte, id edge.Identity) error {
	failed := c.verdict(read)
	if !s.backend.dialect.Opens(lookup) || c.noneMatch == nil && failed == nil {
		return failed
	}
	// Such a read may show more than the client saw. If it does not match, that proves nothing.
	now, err := s.ask(x, x, x.target.call.Target(), id, upstream.Write)
	if err != nil || now.reply.Status != http.StatusOK {
		return cmp.Or(err, failed)
	}
	return c.verdict(now.body.Body)
}

// verify compares the response to an update with what was requested. It logs and counts
// drift, and returns it as an error if the client asks for strict handling.
func (s *site) verify(x *exchange, call *mapping.Call, got response) error {
	drifts := s.backend.dialect.Drift(x.target.call, call, got.reply.Body)
	handling := handlingOf(x.in.Header["Prefer"])
	if handling != "" && x.target.call.Endpoint.Action == mapping.Update {
		x.out.Header()["Preference-Applied"] = []string{"handling=" + handling}
	}
	if len(drifts) == 0 {
		return nil
	}
	s.options.Metrics.Drifted(drifts)
	texts := make([]string, 0, len(drifts))
	for _, d := range drifts {
		texts = append(texts, d.Field+" "+string(d.Kind))
	}
	s.options.Log.Warn("update drift", zap.String("request_id", x.id), zap.String("endpoint", x.target.Endpoint.Name()),
		zap.String("item", call.Item), zap.Strings("fields", texts))
	if handling != "strict" {
		return nil
	}
	return problem.UpdateDrift(strings.Join(texts, ", "))
}

// handlingOf returns the preference "handling" (RFC 7240, 4.4) of a client: "strict", "lenient", or ""
// if it is not sent. The first one counts.
func handlingOf(prefer []string) string {
	if found := handling.FindStringSubmatch(strings.Join(prefer, ",")); found != nil {
		return strings.ToLower(found[1])
	}
	return ""
}

var handling = regexp.MustCompile(`(?i)(?:^|,)\s*handling\s*=\s*"?(strict|lenient)"?\s*(?:[,;]|$)`)
