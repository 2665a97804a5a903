package redisstore

import (
	"context"
	"time"
)

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
		if err := t.decided(ctx, s.decisions); err != nil {
			return err
		}
		// Deleted records at the end leave the cursor behind.
		t.cursor, t.added, t.since = s.last, s.added, 0
		epoch := t.epoch // a copy: appends read it
		t.redis.epoch.Store(&epoch)
		t.redis.clock.Store(&s.at)
		t.redis.live.Store(s.live)
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
	t.decisions = nil // another change may have made the version that is known
}
