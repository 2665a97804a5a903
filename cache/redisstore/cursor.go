package redisstore

import (
	"context"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// A cursor is a named position in the log: what is before it has been passed on to somebody
// outside, once for all instances. One instance holds it, reads what follows and moves it. It
// needs no lease of its own: once the registration of the holder is over (live.go), another
// instance may hold the cursor.

// Segment is the part of the log after a cursor.
type Segment struct {
	Held bool     // by this instance; else only At is set
	At   Position // of the cursor; 0 if it was never moved

	Items  []Item // in order
	More   bool   // there may be further items
	Missed bool   // records between the cursor and End may be gone; Items are not set
	End    Position

	Rejected int // records, of which at most [MaxRejected] are kept

	at, end streamID
	added   int64 // items ever added, up to at; 0 if Redis does not count them
	total   int64 // likewise, up to end
}

// Item is an item of the log.
type Item struct {
	At     Position
	Record []byte // nil: it holds no record
	Mark   bool   // everything before it counts as purged

	id streamID
}

// holdCursor makes this instance (ARGV[1]) the holder of the cursor KEYS[1], unless another one
// is that is live (KEYS[2]), and reads up to ARGV[2] items of the log KEYS[3]. An instance that is
// not live itself does not become the holder: it would keep the cursor from no other.
var holdCursor = redis.NewScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function live(id)
	local over = id and redis.call('ZSCORE', KEYS[2], id)
	return over and tonumber(over) > now
end
local holder, at, added = unpack(redis.call('HMGET', KEYS[1], 'holder', 'at', 'added'))
local rejected = redis.call('LLEN', KEYS[4])
if holder ~= ARGV[1] then
	if live(holder) or not live(ARGV[1]) then
		return {0, at or '', rejected}
	end
	redis.call('HSET', KEYS[1], 'holder', ARGV[1])
end
if redis.call('EXISTS', KEYS[3]) == 0 then
	return {1, at or '', rejected}
end
local info = redis.call('XINFO', 'STREAM', KEYS[3])
local first, last, total = '', '', 0
for i = 1, #info, 2 do
	if info[i] == 'first-entry' and info[i + 1] then
		first = info[i + 1][1]
	elseif info[i] == 'last-generated-id' then
		last = info[i + 1]
	elseif info[i] == 'entries-added' then
		total = info[i + 1]
	end
end
local read = at and redis.call('XREAD', 'COUNT', ARGV[2], 'STREAMS', KEYS[3], at)
return {1, at or '', rejected, added or '0', first, last, total, read and read[1][2] or {}}`)

// HoldCursor makes this instance the holder of the cursor if no other live instance is, and
// reads up to limit items after it.
func (r *Store) HoldCursor(ctx context.Context, name string, limit int) (Segment, error) {
	var got []any
	err := r.try(ctx, patience, func(ctx context.Context, c redis.UniversalClient) (err error) {
		keys := []string{r.cursorKey(name), r.liveKey(), r.logKey(), r.rejectedKey(name)}
		got, err = holdCursor.Run(ctx, c, keys, r.id, limit).Slice()
		return err
	})
	if err == nil {
		var s Segment
		if s, err = parseSegment(got, limit); err == nil {
			return s, nil
		}
	}
	return Segment{}, fmt.Errorf("redis: read after the cursor: %w", err)
}

// moveCursor moves the cursor KEYS[1] of the holder ARGV[1] from ARGV[2] to ARGV[3], and adds
// ARGV[5], unless it is empty, to the rejected records KEYS[2]; ARGV[6] replaces more than ARGV[7].
var moveCursor = redis.NewScript(`
local holder, at = unpack(redis.call('HMGET', KEYS[1], 'holder', 'at'))
if holder ~= ARGV[1] or (at or '') ~= ARGV[2] then
	return 0
end
redis.call('HSET', KEYS[1], 'at', ARGV[3], 'added', ARGV[4])
if ARGV[5] ~= '' then
	if redis.call('RPUSH', KEYS[2], ARGV[5]) > tonumber(ARGV[7]) then
		redis.call('DEL', KEYS[2])
		redis.call('RPUSH', KEYS[2], ARGV[6])
	end
end
return 1`)

// MaxRejected is the largest number of rejected records of a cursor.
const MaxRejected = 50

// Rejection is a record of what the receiver has refused.
type Rejection struct {
	Record []byte // nil: nothing was refused
	All    []byte // replaces this record and all earlier ones beyond [MaxRejected]
}

// MoveCursor moves the cursor behind the first n items of s, or to its end if records were missed,
// and adds to [Store.Rejected] in the same step. It reports whether this instance still held the
// cursor where s begins; else nothing has changed.
func (r *Store) MoveCursor(ctx context.Context, name string, s Segment, n int, rejected Rejection) (held bool, err error) {
	to, added := s.end, s.total
	if !s.Missed {
		to, added = s.Items[n-1].id, s.added+int64(n)
	}
	if s.total == 0 || !s.Missed && s.added == 0 {
		added = 0 // Redis 6
	}
	args := []any{r.id, textOf(s.at), to.String(), added, rejected.Record, rejected.All, MaxRejected}
	err = r.try(ctx, patience, func(ctx context.Context, c redis.UniversalClient) (err error) {
		held, err = moveCursor.Run(ctx, c, []string{r.cursorKey(name), r.rejectedKey(name)}, args...).Bool()
		return err
	})
	if err != nil {
		return false, fmt.Errorf("redis: move the cursor: %w", err)
	}
	return held, nil
}

var leaveCursor = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'holder') == ARGV[1] then
	return redis.call('HDEL', KEYS[1], 'holder')
end
return 0`)

// LeaveCursor lets another instance hold the cursor at once.
func (r *Store) LeaveCursor(ctx context.Context, name string) error {
	return r.try(ctx, patience, func(ctx context.Context, c redis.UniversalClient) error {
		return leaveCursor.Run(ctx, c, []string{r.cursorKey(name)}, r.id).Err()
	})
}

// Rejected returns the rejected records of a cursor, the oldest first.
func (r *Store) Rejected(ctx context.Context, name string) (records [][]byte, err error) {
	var texts []string
	err = r.try(ctx, patience, func(ctx context.Context, c redis.UniversalClient) (err error) {
		texts, err = c.LRange(ctx, r.rejectedKey(name), 0, -1).Result()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("redis: read rejected records: %w", err)
	}
	for _, t := range texts {
		records = append(records, []byte(t))
	}
	return records, nil
}

// Forget removes rejected records of a cursor.
func (r *Store) Forget(ctx context.Context, name string, records [][]byte) error {
	return r.try(ctx, patience, func(ctx context.Context, c redis.UniversalClient) error {
		_, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, record := range records {
				p.LRem(ctx, r.rejectedKey(name), 1, record)
			}
			return nil
		})
		return err
	})
}

func textOf(id streamID) string {
	if id == (streamID{}) {
		return ""
	}
	return id.String()
}

func parseCount(v any) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case string:
		parsed, _ := strconv.ParseInt(n, 10, 64) // another text is no count
		return parsed
	}
	return 0
}
