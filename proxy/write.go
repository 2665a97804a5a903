package proxy

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/tracing"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// write sends a write to a backend, purges what it changes, and answers.
func (f *Facade) write(x *exchange, who identity.Identity) error {
	call, err := f.prepare(x, who)
	if call == nil {
		return err // answered, or failed
	}
	return f.carryOut(x, call, who)
}

// prepare checks the conditions of a write, makes the reads that it needs first, and gives
// its dates the clocks that the backend reads them by. Nothing has been written when it
// fails. Without a call and without an error the answer of a read has been sent: the writer
// may not read the item, or there is none.
func (f *Facade) prepare(x *exchange, who identity.Identity) (call *mapping.Call, err error) {
	speech := &x.backend.speech
	lookup := speech.Lookup(x.call)
	var read *answer // to lookup
	if c := conditionsOf(x.in.Header); !c.none() {
		if read, err = f.check(x, c, lookup, who); err != nil || x.out.status != 0 {
			return nil, err
		}
	}
	for call = x.call; lookup != nil; lookup, read = speech.Lookup(call), nil {
		if read == nil {
			if read, err = f.read(x, lookup, who); read == nil {
				return nil, err
			}
		}
		if call, err = speech.Complete(call, read.reply.Body); err != nil {
			return nil, incomplete(err)
		}
	}
	var site *time.Location
	if speech.NeedsSiteZone(call) {
		if site, err = f.options.SiteZone(x.context()); err != nil {
			return nil, unavailable(err)
		}
	}
	return speech.OnWalls(call, site)
}

// read makes a read for a write. Without an answer and without an error the client has
// been sent what the backend said.
func (f *Facade) read(x *exchange, call *mapping.Call, who identity.Identity) (*answer, error) {
	got, err := f.obtain(x.context(), x.backend, question{call, x.choice, who, upstream.Write}, &x.upstream)
	if err != nil {
		return nil, err
	}
	if got.reply.Status != http.StatusOK {
		f.send(x, got, who)
		return nil, nil
	}
	return &got, nil
}

// carryOut sends a write that is prepared. Once it is sent its outcome is unknown until
// the backend has answered, whatever happens to the code in between.
func (f *Facade) carryOut(x *exchange, call *mapping.Call, who identity.Identity) (err error) {
	// A client that hangs up does not end it: a write cut off midway is one whose
	// outcome nobody knows.
	ctx := context.WithoutCancel(x.context())
	sent := f.announce(ctx, x, call, who)
	defer func() {
		if errors.Is(err, errPanic) {
			f.doubt(ctx, sent, err)
			err = outcomeUnknown(err)
		}
	}()
	defer caught(f.options.Log, x.id, &err)
	got, err := f.obtain(ctx, x.backend, question{call, x.choice, who, upstream.Write}, &x.upstream)
	if err != nil {
		f.doubt(ctx, sent, err)
		return x.noteKept(call, err)
	}
	if got.reply.Status >= http.StatusBadRequest {
		f.sendRefusal(ctx, x, call, sent, got, who)
		return nil
	}
	f.purge(ctx, sent, call.Purges(f.spaces[x.choice.Index], got.body.ID, got.body.Shows))
	if err := f.verify(x, call, got); err != nil {
		return err
	}
	f.send(x, got, who)
	return nil
}

// sendRefusal answers with a backend's refusal of a write. What the write described in
// place may have been created all the same.
func (f *Facade) sendRefusal(ctx context.Context, x *exchange, call *mapping.Call, sent *cache.Announcement, got answer, who identity.Identity) {
	if kept := call.KeptAfter(got.reply.Body); len(kept) > 0 {
		f.purge(ctx, sent, call.Purges(f.spaces[x.choice.Index], "", nil))
		got.body.Body = mapping.AddToMessage(got.body.Body, x.keptNote(kept))
	} else {
		sent.Withdraw()
	}
	f.send(x, got, who)
}

// noteKept adds to an error what the site may have created on the way, unless nothing
// was sent.
func (x *exchange) noteKept(call *mapping.Call, err error) error {
	var e *problem.Error
	kept := call.Inline()
	if len(kept) == 0 || errors.Is(err, upstream.ErrNotSent) || !errors.As(err, &e) {
		return err
	}
	noted := *e
	noted.Note = x.keptNote(kept)
	return &noted
}

func (x *exchange) keptNote(kept []string) string {
	return x.voice.Text("error.kept", map[string]string{"Items": strings.Join(kept, ", ")})
}

// announce tells all instances that a write is about to be sent, so that none of them
// takes for fresh what it changes if this one does not live to see its outcome. A write
// without credentials, which the site refuses as a rule, is not: anybody could keep the
// cache in doubt. Without a cache it is nil.
func (f *Facade) announce(ctx context.Context, x *exchange, call *mapping.Call, who identity.Identity) *cache.Announcement {
	if f.options.Cache == nil {
		return nil
	}
	tags := call.Purges(f.spaces[x.choice.Index], "", nil)
	if who.Anonymous() {
		return f.options.Cache.Unannounced(tags)
	}
	return f.options.Cache.Announce(ctx, tags)
}

// doubt purges whatever a write may have changed that nobody confirmed, and leaves it in
// doubt: the site may still be at it.
func (f *Facade) doubt(ctx context.Context, sent *cache.Announcement, cause error) {
	if errors.Is(cause, upstream.ErrNotSent) {
		sent.Withdraw()
		return
	}
	ctx, end := tracing.Start(ctx, f.options.Tracer, "purge", trace.SpanKindInternal)
	sent.Doubt(ctx, "write")
	end(nil)
}

// purge purges the tags that a write has changed.
func (f *Facade) purge(ctx context.Context, sent *cache.Announcement, tags []string) {
	ctx, end := tracing.Start(ctx, f.options.Tracer, "purge", trace.SpanKindInternal)
	sent.Purge(ctx, cache.Purge{Tags: tags, From: "write"})
	end(nil, attribute.Int("calfacade.tags", len(tags)))
}
