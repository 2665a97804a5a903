package redisstore

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// A group passes the log on to somebody outside, once for all instances: it is a consumer group
// of the stream. Each item goes to one of the instances that read, and is pending until this
// instance acknowledges it. What an instance has left pending for abandoned goes to another.

// Batch is what an instance reads of the log for a group.
type Batch struct {
	Items    []Item   // in order; first those that were read before and are pending
	Missed   bool     // items may be gone: everything counts as purged, and Items are not set
	End      Position // of the log, if Missed
	Done     Position // everything up to it was acknowledged; 0: not known
	Rejected int      // letters, at most [MaxRejected]

	end string
}

// Item is an item of the log.
type Item struct {
	At     Position
	Record []byte // nil: it holds no record
	Mark   bool   // everything before it counts as purged

	id string
}

// MaxRejected is the largest number of letters of a group.
const MaxRejected = 50

// abandoned is how long an instance may not have read an item that is pending at it, until another
// one takes it over, in milliseconds. An instance that is alive reads it
// again with each try; where a target takes longer, both send it, which does no harm.
const abandoned = 5000

// survey prepares the reading of the log KEYS[1] by the instance ARGV[2] for the group ARGV[1], in
// the transaction of XREADGROUP, which scripts may call from Redis 6.2 on. If the log has no item
// as old as the oldest one that was not acknowledged, those that follow may have been trimmed: it
// destroys the group. Without a group the result is 'missed' at one instance, which holds KEYS[3]
// until it makes a new one, and 'busy' at others. Else it takes over what was pending at others for
// ARGV[3] ms, and deletes consumers that are gone.
var survey = redis.NewScript(`
local log, group, me, over = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local function named(list)
	local t = {}
	for i = 1, #list, 2 do
		t[list[i]] = list[i + 1]
	end
	return t
end
local letters, last, pending, oldest = redis.call('LLEN', KEYS[2]), '0-0', 0, nil
if redis.call('EXISTS', log) == 1 then
	last = named(redis.call('XINFO', 'STREAM', log))['last-generated-id']
	for _, g in ipairs(redis.call('XINFO', 'GROUPS', log)) do
		g = named(g)
		if g.name == group then
			pending, oldest = g.pending, redis.call('XPENDING', log, group)[2] or g['last-delivered-id']
		end
	end
end
if oldest and oldest ~= last and #redis.call('XRANGE', log, '-', oldest, 'COUNT', 1) == 0 then
	redis.call('XGROUP', 'DESTROY', log, group)
	oldest = nil
end
if not oldest then
	local holder = redis.call('GET', KEYS[3])
	if holder and holder ~= me then
		return {'busy', last, letters}
	end
	redis.call('SET', KEYS[3], me, 'PX', over)
	return {'missed', last, letters}
end
for _, p in ipairs(redis.call('XPENDING', log, group, '-', '+', 1000)) do
	if p[2] ~= me and p[3] >= over then
		redis.call('XCLAIM', log, group, me, over, p[1], 'JUSTID')
	end
end
for _, c in ipairs(redis.call('XINFO', 'CONSUMERS', log, group)) do
	c = named(c)
	if c.pending == 0 and c.idle > 10 * over then
		redis.call('XGROUP', 'DELCONSUMER', log, group, c.name)
	end
end
return {pending > 0 and 'pending' or 'done', oldest, letters}`)

// ReadGroup reads what this instance has not acknowledged: up to limit items that it has read
// before or takes over, and up to limit further ones. If nobody knows what was passed on before, one
// instance gets a batch that is Missed, and others get nothing until it has acknowledged that.
func (r *Store) ReadGroup(ctx context.Context, group string, limit int) (Batch, error) {
	var state *redis.Cmd
	var read [2]*redis.XStreamSliceCmd
	err := r.try(ctx, patience, func(ctx context.Context, c redis.UniversalClient) error {
		_, err := c.TxPipelined(ctx, func(p redis.Pipeliner) error {
			state = survey.Eval(ctx, p, r.groupKeys(group), group, r.id, abandoned)
			for i, from := range []string{"0", ">"} {
				read[i] = p.XReadGroup(ctx, &redis.XReadGroupArgs{
					Group: group, Consumer: r.id, Streams: []string{r.logKey(), from}, Count: int64(limit), Block: -1,
				})
			}
			return nil
		})
		if redis.HasErrorPrefix(err, "NOGROUP") {
			return nil
		}
		return err
	})
	if err == redis.Nil {
		err = state.Err()
	}
	var b Batch
	if err == nil {
		b, err = batchOf(state, read[:])
	}
	if err != nil {
		return Batch{}, fmt.Errorf("redis: read the log for a group: %w", err)
	}
	return b, nil
}

func batchOf(state *redis.Cmd, read []*redis.XStreamSliceCmd) (b Batch, err error) {
	got, err := state.Slice()
	if err != nil || len(got) != 3 {
		return b, fmt.Errorf("%d values: %w", len(got), err)
	}
	letters, _ := got[2].(int64)
	b.Rejected = int(letters)
	b.end, _ = got[1].(string)
	at, err := parseStreamID(b.end)
	switch got[0] {
	case "missed":
		b.Missed, b.End = true, at.position()
		return b, err
	case "done":
		b.Done = at.position()
	case "pending":
		b.Done = max(1, at.position()) - 1
	}
	for _, r := range read {
		for _, stream := range r.Val() {
			for _, m := range stream.Messages {
				b.Items = append(b.Items, itemOf(m))
			}
		}
	}
	return b, err
}

// itemOf returns an item of the log. One that is gone may have been any: it is a mark.
func itemOf(m redis.XMessage) Item {
	id, err := parseStreamID(m.ID)
	if err != nil {
		panic("BUG: Redis sent " + m.ID)
	}
	i := Item{At: id.position(), Mark: m.Values[fieldDecisions] == nil, id: m.ID}
	if record, ok := m.Values[fieldRecord].(string); ok {
		i.Record, i.Mark = []byte(record), false
	}
	return i
}

// acknowledge acknowledges the items ARGV[6] and following, or begins the group at ARGV[2], and adds
// the letter ARGV[3], unless it is empty. ARGV[4] replaces more than ARGV[5] letters.
var acknowledge = redis.NewScript(`
if ARGV[2] ~= '' then
	redis.pcall('XGROUP', 'CREATE', KEYS[1], ARGV[1], ARGV[2], 'MKSTREAM')
	redis.call('DEL', KEYS[3])
elseif ARGV[6] then
	redis.call('XACK', KEYS[1], ARGV[1], unpack(ARGV, 6))
end
if ARGV[3] ~= '' and redis.call('RPUSH', KEYS[2], ARGV[3]) > tonumber(ARGV[5]) then
	redis.call('DEL', KEYS[2])
	redis.call('RPUSH', KEYS[2], ARGV[4])
end`)

// Acknowledge acknowledges a batch. If its receiver has refused it, a letter is added to
// [Store.Rejected] in the same step; all replaces it and earlier ones beyond [MaxRejected].
func (r *Store) Acknowledge(ctx context.Context, group string, b Batch, letter, all string) error {
	args := []any{group, "", letter, all, MaxRejected}
	if b.Missed {
		args[1] = b.end
	}
	for _, i := range b.Items {
		args = append(args, i.id)
	}
	err := r.try(ctx, patience, func(ctx context.Context, c redis.UniversalClient) error {
		return acknowledge.Run(ctx, c, r.groupKeys(group), args...).Err()
	})
	if err != nil && err != redis.Nil {
		return fmt.Errorf("redis: acknowledge items of the log: %w", err)
	}
	return nil
}

// Rejected returns the letters of a group, the oldest first.
func (r *Store) Rejected(ctx context.Context, group string) (letters []string, err error) {
	err = r.try(ctx, patience, func(ctx context.Context, c redis.UniversalClient) (err error) {
		letters, err = c.LRange(ctx, r.groupKeys(group)[1], 0, -1).Result()
		return err
	})
	return letters, err
}

// Forget removes letters of a group.
func (r *Store) Forget(ctx context.Context, group string, letters []string) error {
	return r.try(ctx, patience, func(ctx context.Context, c redis.UniversalClient) error {
		_, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, l := range letters {
				p.LRem(ctx, r.groupKeys(group)[1], 1, l)
			}
			return nil
		})
		return err
	})
}

// groupKeys returns the log, the letters of a group, and what the instance holds that makes it.
func (r *Store) groupKeys(group string) []string {
	return []string{r.logKey(), r.besideLog("letters") + ":" + group, r.besideLog("maker") + ":" + group}
}
