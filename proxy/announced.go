package proxy

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/tracing"
)

// announced is a write with the announcement that brings the outcome to all instances.
type announced struct {
	*cache.Announcement         // nil without a cache
	writer              *writer // nil: the write is not announced before sending
}

// announce announces a write to all instances, so that the others do not serve the changed entries as fresh if
// this instance dies before the purge. A write of an identity that the site has not accepted is not announced:
// any client could keep writes pending.
func (s *site) announce(ctx context.Context, x *exchange, call *mapping.Call, id edge.Identity) announced {
	if s.options.Cache == nil {
		return announced{}
	}
	tags := call.PurgedTags(s.spaces[x.target.choice.Index], "", nil)
	w := s.accepted.find(id, s.options.Clock())
	if w == nil {
		return announced{Announcement: s.options.Cache.Unannounced(tags)}
	}
	return announced{Announcement: s.options.Cache.Announce(ctx, tags), writer: w}
}

// keepPending purges the entries that a write of unknown outcome may have changed, and keeps the write pending: the
// site may still execute it. A writer has one such write at a time, which covers all writes of the writer.
func (s *site) keepPending(ctx context.Context, write announced) {
	ctx, end := tracing.Start(ctx, s.options.Tracer, "purge", trace.SpanKindInternal)
	defer end(nil)
	if write.writer == nil {
		write.KeepPending(ctx, cache.FromWrite, nil)
		return
	}
	write.writer.mu.Lock()
	defer write.writer.mu.Unlock()
	write.KeepPending(ctx, cache.FromWrite, write.writer.pending)
	write.writer.pending = write.Announcement
}

// purgeWritten purges the tags that a write has changed. Cache-Status of the response has "purge-pending" if the other
// instances do not know the purge yet.
func (s *site) purgeWritten(ctx context.Context, x *exchange, write announced, tags []string) {
	ctx, end := tracing.Start(ctx, s.options.Tracer, "purge", trace.SpanKindInternal)
	if !write.Purge(ctx, cache.Purge{Tags: tags, From: cache.FromWrite}) {
		s.uncached(x, "method; detail=purge-pending")
	}
	end(nil, attribute.Int("calfacade.tags", len(tags)))
}
