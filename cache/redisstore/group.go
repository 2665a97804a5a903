package redisstore

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// A group passes the log on to somebody outside, once for all instances: it is a consumer group
// of the stream. Each item goes to one of the instances that read, and is pending until this
// instance acknowledges it. What an instance has left pending for [Abandoned] goes to another.
//
// A group begins with an item of its own, which stands for everything that was purged before. It
// begins again if items may be gone that nobody has acknowledged.

// GroupRead is one read of the log by an instance for a group.
type GroupRead struct {
	Items    []Item   // in order; first those that were read before and are pending
	Done     Position // everything up to it was acknowledged
	Rejected int      // letters, at most about [MaxRejected]
}

// MaxRejected is the largest number of letters of a group.
const MaxRejected = 50

// Abandoned is how long an instance may not have read an item that is pending at it, until another
// one takes it over. An instance that is alive reads it again with each try; where a target takes
// longer, both send it, which does no harm.
const Abandoned = 5 * time.Second

// maxReaders bounds the instances that a group remembers, also those that are gone: beyond it, the
// group begins again.
const maxReaders = 10_000

// ReadGroup reads what this instance has not acknowledged: up to limit items that it has read
// before or takes over, and up to limit further ones.
func (r *Store) ReadGroup(ctx context.Context, group string, limit int) (GroupRead, error) {
	return ask(ctx, r.base, "read the log for a group", patience, func(ctx context.Context, c redis.UniversalClient) (GroupRead, error) {
		b, complete, err := r.readGroup(ctx, c, group, limit)
		if err != nil || complete {
			return b, err
		}
		if err = beginGroup.Run(ctx, c, []string{r.logKey}, group, *r.epoch.Load()).Err(); err == nil {
			b, _, err = r.readGroup(ctx, c, group, limit)
		}
		return b, err
	})
}

// beginGroup makes the group ARGV[1] at the end of the log, and appends the item that it begins with, unless
// another instance was first. The epoch is ARGV[2]; 'g' and 'e' are fieldGroup and fieldEpoch.
var beginGroup = redis.NewScript(`
redis.call('XADD', KEYS[1], '*', 'g', '', 'e', ARGV[2]) -- the group has acknowledged it
if not redis.pcall('XGROUP', 'CREATE', KEYS[1], ARGV[1], '$').err then
	redis.call('XADD', KEYS[1], '*', 'g', ARGV[1], 'e', ARGV[2])
end
return 1`)

// readGroup reads the state of a group and the items in one transaction. complete is false if there is no
// group, or if items may be gone that were not acknowledged.
func (r *Store) readGroup(ctx context.Context, c redis.Cmdable, group string, limit int) (b GroupRead, complete bool, err error) {
	log := r.logKey
	p := c.TxPipeline()
	letters := p.LLen(ctx, r.lettersKey(group))
	stream := p.XInfoStream(ctx, log)
	groups := p.XInfoGroups(ctx, log)
	pending := p.XPending(ctx, log, group)
	claimed := p.Do(ctx, "XAUTOCLAIM", log, group, r.id, Abandoned.Milliseconds(), "0", "COUNT", batch, "JUSTID")
	var reads [2]*redis.XStreamSliceCmd
	for i, after := range []string{"0", ">"} {
		reads[i] = p.XReadGroup(ctx, &redis.XReadGroupArgs{
			Group: group, Consumer: r.id, Streams: []string{log, after}, Count: int64(limit), Block: -1,
		})
	}
	_, err = p.Exec(ctx)
	b.Rejected = int(letters.Val())
	index := slices.IndexFunc(groups.Val(), func(g redis.XInfoGroup) bool { return g.Name == group })
	switch {
	case index < 0 && (err == nil || redis.HasErrorPrefix(err, "no such key") || redis.HasErrorPrefix(err, "NOGROUP")):
		return b, false, nil
	case err != nil && !errors.Is(err, redis.Nil):
		return b, false, err
	}
	// The oldest item that was not acknowledged or, if all were, the last one. If the log has no record as
	// old, those that follow may be gone as well.
	state := groups.Val()[index]
	waiting := pending.Val().Lower
	done, err := positionOf(cmp.Or(waiting, state.LastDeliveredID))
	if err != nil {
		return b, false, err
	}
	first, empty := positionOf(stream.Val().FirstEntry.ID)
	missed := done.id() != stream.Val().LastGeneratedID && (empty != nil || done < first)
	ids, _ := claimed.Slice()
	if len(ids) > 2 { // of items that were deleted, from Redis 7 on
		deleted, _ := ids[2].([]any)
		missed = missed || len(deleted) > 0
	}
	if missed || state.Consumers > maxReaders {
		return b, false, c.XGroupDestroy(ctx, log, group).Err()
	}
	b.Done = done
	if waiting != "" {
		b.Done--
	}
	for _, part := range reads {
		items, _ := itemsOf(part)
		for _, i := range items {
			i.Mark = i.Mark || i.begins == group
			b.Items = append(b.Items, i)
		}
	}
	return b, true, nil
}

// Acknowledge acknowledges a batch. If its receiver has refused it, a letter is added to
// [Store.Rejected] in the same step; everything replaces it and earlier ones beyond [MaxRejected].
func (r *Store) Acknowledge(ctx context.Context, group string, b GroupRead, letter, everything string) error {
	_, err := ask(ctx, r.base, "acknowledge items of the log", patience,
		func(ctx context.Context, c redis.UniversalClient) ([]redis.Cmder, error) {
			p := c.TxPipeline()
			for _, i := range b.Items {
				p.XAck(ctx, r.logKey, group, i.At.id())
			}
			if letter != "" && b.Rejected >= MaxRejected {
				p.Del(ctx, r.lettersKey(group))
				letter = everything
			}
			if letter != "" {
				p.RPush(ctx, r.lettersKey(group), letter)
			}
			return p.Exec(ctx)
		})
	return err
}

// Rejected returns the letters of a group, the oldest first.
func (r *Store) Rejected(ctx context.Context, group string) ([]string, error) {
	return ask(ctx, r.base, "read letters", patience, func(ctx context.Context, c redis.UniversalClient) ([]string, error) {
		return c.LRange(ctx, r.lettersKey(group), 0, -1).Result()
	})
}

// Forget removes letters of a group.
func (r *Store) Forget(ctx context.Context, group string, letters []string) error {
	_, err := ask(ctx, r.base, "remove letters", patience, func(ctx context.Context, c redis.UniversalClient) ([]redis.Cmder, error) {
		p := c.Pipeline()
		for _, l := range letters {
			p.LRem(ctx, r.lettersKey(group), 1, l)
		}
		return p.Exec(ctx)
	})
	return err
}

func (r *Store) lettersKey(group string) string { return r.besideLog("letters") + ":" + group }
