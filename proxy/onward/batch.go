package onward

import (
	"slices"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
)

// maxTags is the largest number of tags of a batch. Beyond it everything is purged, in one call.
const maxTags = 1000

// batch is what waits for a target: several purges as one.
type batch struct {
	cache.Purge
	at     redisstore.Position // of the last one in the shared log; 0: not there
	since  time.Time           // when the oldest was made
	count  int                 // purges
	replay bool                // of what the target has refused before
	again  bool                // the target has accepted it before
}

// add adds a purge. The whole is soft if all are.
func (b *batch) add(p cache.Purge, at redisstore.Position, made time.Time) {
	b.Soft = p.Soft && (b.count == 0 || b.Soft)
	if b.count == 0 || made.Before(b.since) {
		b.since = made
	}
	b.count++
	b.at = max(b.at, at)
	if b.All = b.All || p.All; b.All {
		b.Tags = nil
		return
	}
	b.Tags = append(slices.Clip(b.Tags), p.Tags...)
	slices.Sort(b.Tags)
	if b.Tags = slices.Compact(b.Tags); len(b.Tags) > maxTags {
		b.All, b.Tags = true, nil
	}
}

func (b *batch) empty() bool { return b.count == 0 }
