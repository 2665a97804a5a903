package proxy

import (
	"context"
	"errors"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
)

// write has a backend change something, ends what that changes in the cache,
// and then answers.
func (f *Facade) write(x *exchange, who identity) error {
	call := x.call
	if lookup := x.backend.speech.Lookup(call); lookup != nil {
		done, err := f.complete(x, lookup, who)
		if done == nil {
			return err // answered, or failed
		}
		call = done
	}
	// What a client has sent is carried through after it hung up: a write cut off
	// midway is one whose fate nobody knows.
	ctx := context.WithoutCancel(x.context())
	got, err := f.obtain(ctx, x.backend, question{call, x.choice, who, writes}, &x.upstream)
	if err != nil {
		f.purgeUnknown(ctx, x, call, err)
		return err
	}
	if got.reply.status < http.StatusBadRequest {
		f.purge(ctx, x, call.Purges(f.options.Site[x.choice.Index].Code, got.body.ID, got.body.Shows))
	}
	f.send(x, got, who)
	return nil
}

// complete makes the read that an update needs first. Without a call and without
// an error the read's own answer has been given: there is nothing to update.
func (f *Facade) complete(x *exchange, lookup *mapping.Call, who identity) (*mapping.Call, error) {
	got, err := f.obtain(x.context(), x.backend, question{lookup, x.choice, who, writes}, &x.upstream)
	if err != nil {
		return nil, err
	}
	if got.reply.status != http.StatusOK {
		f.send(x, got, who)
		return nil, nil
	}
	done, err := x.backend.speech.Complete(x.call, got.reply.body)
	if err != nil {
		return nil, invalid(err)
	}
	return done, nil
}

// purgeUnknown ends whatever a write may have changed that nobody confirmed.
func (f *Facade) purgeUnknown(ctx context.Context, x *exchange, call *mapping.Call, cause error) {
	if !errors.Is(cause, errNotSent) {
		f.purge(ctx, x, call.Purges(f.options.Site[x.choice.Index].Code, "", nil))
	}
}

// purge ends the tags, in every language if the languages share their content.
func (f *Facade) purge(ctx context.Context, x *exchange, tags []string) {
	if f.options.Cache == nil {
		return
	}
	if f.options.Freshness.ShareLanguages {
		tags = mapping.InLanguages(tags, f.options.Site.Codes())
	}
	ctx, end := inSpan(ctx, f.options.Tracer, "purge", trace.SpanKindInternal)
	f.options.Cache.Purge(ctx, cache.Purge{Tags: tags, From: "write"})
	end(nil, attribute.Int("calfacade.tags", len(tags)))
}
