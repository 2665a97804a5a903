package onward

import (
	"slices"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
)

// maxTags is the largest number of tags of a batch. A larger batch purges everything, in one call.
const maxTags = 1000

// batch has the purges that wait for a target, as one.
type batch struct {
	purges
	position redisstore.Position // of the last one in the shared log; 0: not there
	replay   bool                // of purges that the target has refused before
	again    bool                // the target has accepted the batch before
}

// purges are purges as one.
type purges struct {
	Time   time.Time `json:"time"`   // of the oldest purge; of a [Letter]: of the refusal
	Purges int       `json:"purges"` // number of purges
	All    bool      `json:"all"`    // everything may have changed; there are no Tags
	Soft   bool      `json:"soft"`
	Tags   []string  `json:"tags"`
}

func single(p cache.Purge, position redisstore.Position, created time.Time) batch {
	return batch{purges: purges{Time: created, Purges: 1, All: p.All, Soft: p.Soft, Tags: p.Tags}, position: position}
}

// batchOf returns the batch of an item of the log, with the tags of a space.
func batchOf(i redisstore.Item, space string) batch {
	if i.Mark {
		return single(cache.Purge{All: true}, i.At, i.At.Time())
	}
	if p, ok := cache.PurgeOf(i.Record, space); i.Record != nil && ok {
		return single(p, i.At, i.At.Time())
	}
	return batch{}
}

// join adds another batch. The whole is soft if both are.
func (b *batch) join(o batch) {
	if o.Purges == 0 {
		return
	}
	first := b.Purges == 0
	if first || o.Time.Before(b.Time) {
		b.Time = o.Time
	}
	b.Soft = (first || b.Soft) && o.Soft
	b.position = max(b.position, o.position)
	b.Purges = b.Purges + o.Purges
	b.Tags = append(append([]string{}, b.Tags...), o.Tags...)
	slices.Sort(b.Tags)
	b.Tags = slices.Compact(b.Tags)
	b.All = b.All || o.All || len(b.Tags) > maxTags
	if b.All {
		b.Tags = []string{}
	}
}
