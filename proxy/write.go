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

// write sends a write to a backend, purges what it changes, and responds.
func (f *Facade) write(x *exchange, id identity.Identity) error {
	call, err := f.prepare(x, id)
	if call == nil {
		return err // responded, or failed
	}
	return f.carryOut(x, call, id)
}

// prepare checks the conditions of a write, makes the reads that it needs, and converts its
// dates to the site clock. If it fails nothing has been written. If it returns neither a call
// nor an error it has sent the response to a read: the client may not read the item, or it
// does not exist.
func (f *Facade) prepare(x *exchange, id identity.Identity) (call *mapping.Call, err error) {
	dialect := &x.backend.dialect
	lookup := dialect.Lookup(x.call)
	var read *response // to lookup
	if c := conditionsOf(x); !c.none() {
		if read, err = f.check(x, c, lookup, id); err != nil || x.out.status != 0 {
			return nil, err
		}
	}
	for call = x.call; lookup != nil; lookup, read = dialect.Lookup(call), nil {
		if read == nil {
			if read, err = f.read(x, lookup, id); read == nil {
				return nil, err
			}
		}
		if call, err = dialect.Complete(call, read.reply.Body); err != nil {
			return nil, incomplete(err)
		}
	}
	var site *time.Location
	if dialect.NeedsSiteZone(call) {
		if site, err = f.options.SiteZone(x.context(), x.backend.roots[x.choice.Index].Upstream); err != nil {
			return nil, unavailable(err)
		}
	}
	return dialect.InLocalTime(call, site)
}

// carryOut sends a prepared write. From then on its outcome is unknown until the backend
// responds, also if this code panics.
func (f *Facade) carryOut(x *exchange, call *mapping.Call, id identity.Identity) (err error) {
	// A client that closes the connection does not cancel it: the outcome of a canceled
	// write is unknown.
	ctx := context.WithoutCancel(x.context())
	sent := f.announce(ctx, x, call, id)
	defer func() {
		if errors.Is(err, errPanic) {
			f.doubt(ctx, sent, err)
			err = outcomeUnknown(err)
		}
	}()
	defer recoverPanic(f.options.Log, x.id, &err)
	got, err := f.obtain(ctx, x.backend, backendCall{call, x.choice, id, upstream.Write}, &x.calls)
	if err != nil {
		f.doubt(ctx, sent, err)
		return x.noteCreated(call, err)
	}
	if got.reply.Status >= http.StatusBadRequest {
		f.sendRefusal(ctx, x, call, sent, got, id)
		return nil
	}
	f.purge(ctx, x, sent, call.Purges(f.spaces[x.choice.Index], got.body.ID, got.body.Shows))
	if err := f.verify(x, call, got); err != nil {
		return err
	}
	f.send(x, got, id)
	return nil
}

// sendRefusal sends the client a backend's refusal of a write. Items that the write describes
// inline may have been created all the same.
func (f *Facade) sendRefusal(ctx context.Context, x *exchange, call *mapping.Call, sent *cache.Announcement, got response, id identity.Identity) {
	if created := call.CreatedBefore(got.reply.Body); len(created) > 0 {
		f.purge(ctx, x, sent, call.Purges(f.spaces[x.choice.Index], "", nil))
		got.body.Body = mapping.AddToMessage(got.body.Body, x.createdNote(created))
	} else {
		sent.Withdraw()
	}
	f.send(x, got, id)
}

// noteCreated adds to an error what the site may have created on the way, unless nothing
// was sent.
func (x *exchange) noteCreated(call *mapping.Call, err error) error {
	var e *problem.Error
	created := call.Inline()
	if len(created) == 0 || errors.Is(err, upstream.ErrNotSent) || !errors.As(err, &e) {
		return err
	}
	noted := *e
	noted.Note = x.createdNote(created)
	return &noted
}

func (x *exchange) createdNote(items []string) string {
	return x.texts.Text("error.kept", map[string]string{"Items": strings.Join(items, ", ")})
}

// announce announces a write to all instances, so that they do not serve what it changes as
// fresh if this instance dies before it purges. A write without credentials, which the site
// refuses as a rule, is not announced: any client could keep the cache in doubt. Without a
// cache the announcement is nil.
func (f *Facade) announce(ctx context.Context, x *exchange, call *mapping.Call, id identity.Identity) *cache.Announcement {
	if f.options.Cache == nil {
		return nil
	}
	tags := call.Purges(f.spaces[x.choice.Index], "", nil)
	if id.Anonymous() {
		return f.options.Cache.Unannounced(tags)
	}
	return f.options.Cache.Announce(ctx, tags)
}

// doubt purges what a write of unknown outcome may have changed, and leaves its tags in
// doubt: the site may still execute it.
func (f *Facade) doubt(ctx context.Context, sent *cache.Announcement, cause error) {
	if errors.Is(cause, upstream.ErrNotSent) {
		sent.Withdraw()
		return
	}
	ctx, end := tracing.Start(ctx, f.options.Tracer, "purge", trace.SpanKindInternal)
	sent.Doubt(ctx, cache.FromWrite)
	end(nil)
}

// purge purges the tags that a write has changed. The response says so in Cache-Status if the other
// instances do not know that yet.
func (f *Facade) purge(ctx context.Context, x *exchange, sent *cache.Announcement, tags []string) {
	ctx, end := tracing.Start(ctx, f.options.Tracer, "purge", trace.SpanKindInternal)
	if !sent.Purge(ctx, cache.Purge{Tags: tags, From: cache.FromWrite}) {
		f.uncached(x, "method; detail=purge-pending")
	}
	end(nil, attribute.Int("calfacade.tags", len(tags)))
}
