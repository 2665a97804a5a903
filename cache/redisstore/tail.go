package redisstore

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// tail reads the log on one connection, and proves that it misses nothing.
//
// A blocking XREAD returns every record after the cursor that the stream still has. It does
// not show what the stream no longer has: records that were trimmed or deleted before they
// were read, flushed (in a stream that began again with positions after the cursor), or lost
// with the memory of a master. So besides, [tail.check] inspects the stream and reads it to
// its end in ONE transaction: nothing is appended or trimmed in between, and the log is
// known to its end exactly when these hold:
//
//  1. The server is the one of the last check: same process (run_id), same history of
//     replication (master_replid), and a master. A restart may have gone back to an older
//     snapshot, and a promoted replica may lack records that were acknowledged; either may
//     have appended since, so that nothing in the stream itself would show it to an instance
//     that was cut off meanwhile.
//  2. The stream did not go back behind the cursor.
//  3. The cursor's record, or an older one, is still there. If not, those after it may be
//     gone as well. This also detects a stream that was deleted and began again.
//  4. As many records were added since the last check as were read. This detects records
//     deleted singly, and records trimmed before a slow reader got to them.
//
// An instance that starts later has no earlier check to compare with, but entries may have
// come back with the older snapshot. So the epoch of (1) is in the log: the first instance
// that finds no record of the epoch appends a mark, and all instances distrust everything
// before it, now and when they start. Only an instance that has read up to such a record
// appends records of the epoch, so that a mark that was trimmed is not missed: what is older
// than the oldest record is distrusted at the start anyway.
//
// Where one does not hold, everything up to the end of the stream is distrusted, and the
// stream is read again from its beginning. Caught is called only after a check, so no entry
// is served on the strength of an unchecked read for longer than until the next check.
//
// Not covered: two masters at a time (a network split without min-replicas-to-write), each
// with appends of its own, until one gives way; and a Redis clock set back by more than the
// time for which a lost stream was away, for instances that start after it.
type tail struct {
	redis    *Store
	follower Follower
	node     redis.Cmdable

	epoch  string   // of the last check; "" before the first
	cursor streamID // everything up to it is applied
	added  int64    // records the stream ever had, at the last check
	since  int64    // records read after it
	known  bool     // a record read since begin is of the epoch

	checked time.Time // when the last check began
	starved bool      // the last call timed out because this process got no processor time
}

// check brings the tail to the end of the stream. It reports a gap to the follower.
func (t *tail) check(ctx context.Context) error {
	for {
		t.checked = time.Now()
		t.follower.Checking()
		s, err := t.look(ctx)
		if err != nil {
			return err
		}
		if s.count == 0 {
			// No stream, or an empty one, has no position to begin from.
			if err := t.mark(ctx, s.epoch); err != nil {
				return err
			}
			continue
		}
		if t.epoch == "" {
			// What was fetched before the oldest record may have been purged by a record
			// that is gone.
			t.begin(s)
			t.follower.Distrust(s.first.position())
		} else if gap, back := t.compare(s); gap {
			t.redis.n.breaks.Add(1)
			if back {
				// Positions that entries already carry are assigned again. The mark
				// ends that soon: its position is of the clock, which has passed the
				// cursor unless it was set back. Until it has, nothing from Redis is served.
				t.follower.Distrust(t.cursor.position() + 1)
				if err := t.mark(ctx, s.epoch); err != nil {
					return err
				}
			} else {
				t.follower.Distrust(s.last.position())
			}
			t.begin(s)
			continue // from the beginning: records may come twice, which does no harm
		}
		if err := t.apply(ctx, s.records); err != nil {
			return err
		}
		if s.more {
			continue
		}
		if !t.known {
			if err := t.mark(ctx, s.epoch); err != nil {
				return err
			}
			continue
		}
		// Deleted records at the end leave the cursor behind.
		t.cursor, t.added, t.since = s.last, s.added, 0
		epoch := t.epoch // a copy: appends read it
		t.redis.epoch.Store(&epoch)
		t.redis.clock.Store(&s.at)
		t.redis.live.Store(int64(len(s.live)))
		t.follower.Caught(s.last.position())
		return nil
	}
}

// compare reports whether there is a gap, and whether the stream went back.
func (t *tail) compare(s *snapshot) (gap, back bool) {
	switch {
	case s.last.less(t.cursor):
		return true, true
	case s.epoch != t.epoch:
		return true, false
	case t.cursor != streamID{} && t.cursor.less(s.first):
		return true, false
	case s.more || s.added == 0: // not at the end yet; or Redis 6, which does not count
		return false, false
	}
	return s.added != t.added+t.since+int64(len(s.records)), false
}

// begin follows the stream of s from its first record.
func (t *tail) begin(s *snapshot) {
	t.epoch, t.cursor = s.epoch, streamID{}
	t.added, t.since, t.known = s.added-s.count, 0, false
}

// apply passes records to the follower, moves the cursor after them, and acknowledges them.
func (t *tail) apply(ctx context.Context, records []redis.XMessage) error {
	var tokens []string
	for _, m := range records {
		id, err := parseStreamID(m.ID)
		if err != nil {
			return err
		}
		if id.overflows() {
			t.redis.n.breaks.Add(1)
			t.follower.Distrust(id.position())
		}
		if record, ok := m.Values[fieldRecord].(string); ok {
			t.redis.n.followed.Add(1)
			t.follower.Apply(id.position(), []byte(record))
		} else {
			t.follower.Distrust(id.position())
		}
		if m.Values[fieldEpoch] == t.epoch {
			t.known = true
		}
		if token, ok := m.Values[fieldToken].(string); ok {
			tokens = append(tokens, token)
		}
		t.cursor = id
		t.since++
	}
	t.acknowledge(ctx, tokens)
	return nil
}

// mark appends a mark. Several instances may do so at once; that does no harm.
func (t *tail) mark(ctx context.Context, epoch string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return t.node.XAdd(ctx, &redis.XAddArgs{
		Stream: t.redis.logKey(), MaxLen: t.redis.options.LogLength, Approx: true,
		Values: []any{fieldEpoch, epoch},
	}).Err()
}
