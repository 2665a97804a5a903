package redisstore

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// tail reads the log to its end, on a connection of its own, and proves that it misses nothing.
//
// A read returns every record after the cursor that the stream still has. It does not show what
// the stream no longer has: records that were trimmed or deleted before they were read, flushed
// (in a stream that began again with positions after the cursor), or lost with the memory of a
// master. So when the connection is new, twice a second, after a failure and after a mark,
// [tail.check] inspects the stream and reads it to its end in ONE transaction: nothing is
// appended or trimmed in between, and the log is known to its end exactly when these hold:
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
//  5. The clock of Redis was not set back: entries would count as younger than they are.
//  6. The server takes writes: one that is full, say, would not get the purges of other
//     instances.
//
// An instance that starts later has no earlier check to compare with, but entries may have
// come back with the older snapshot. So the epoch of (1) is in the log: the first instance
// that finds no record of the epoch appends a mark, and all instances distrust everything
// before it, now and when they start. Only an instance that has read up to such a record
// appends records of the epoch, so that a mark that was trimmed is not missed: everything older
// than the oldest record is distrusted at the start anyway. The first instance that sees (2) or
// (5) appends a mark as well, which makes the others check.
//
// Where one does not hold, everything up to the end of the stream is distrusted, and the
// stream is read again from its beginning. Where (6) does not hold, the log read fails.
//
// Not covered: two masters at a time (a network split without min-replicas-to-write), each
// with appends of its own, until one gives way; and what happens between two checks without
// breaking the connection, such as a FLUSHALL.
type tail struct {
	base     *base
	follower Follower

	conns logConns
	conn  *logConn      // of the log read in progress
	busy  chan struct{} // has an element during a log read

	epoch  string   // of the last check; "" before the first
	cursor Position // everything up to it is applied
	added  int64    // records the stream ever had, at the last check
	since  int64    // records read after it
	proven bool     // a record read since begin is of the epoch

	checked time.Time // when the last check began; zero: the next log read is a check
}

// checkEvery is the interval between two checks while requests come.
const checkEvery = 500 * time.Millisecond

// newTail returns the tail of a store.
func newTail(b *base) *tail {
	return &tail{base: b, follower: nobody{}, conns: logConns{base: b}, busy: make(chan struct{}, 1)}
}

// within reads the log until ctx is done. If the answer takes longer, the log read goes on without its caller, and the next one
// waits until it is over.
func (t *tail) within(ctx context.Context) error {
	select {
	case t.busy <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	conn := t.conns.current()
	if err := conn.connected(ctx); err != nil {
		<-t.busy
		return err
	}
	t.conn = conn
	_, err := patiently(ctx, t.base, func(ctx context.Context) (nothing struct{}, _ error) {
		defer func() { <-t.busy }()
		return nothing, t.read(ctx)
	})
	return err
}

// read brings the follower to the end of the log. Whether a check is due is decided before the log is read: a check
// that came due meanwhile would be a second round trip, for which there may be no time.
func (t *tail) read(ctx context.Context) error {
	due := t.due()
	err := t.follower.Flush(func(records [][]byte) ([]Position, error) {
		return t.base.appendAll(ctx, t.conn.node, t.follower.Position(), records)
	})
	if err == nil && !due {
		err = t.readRecords(ctx)
	}
	for err == nil && (due || t.unproven()) {
		err = t.check(ctx)
		due = false
	}
	if err != nil {
		t.checked = time.Time{}
		if !redis.HasErrorPrefix(err, "OOM") { // a full Redis is the right one, and the connection works
			t.conns.drop()
		}
		return err
	}
	t.follower.Reached(t.cursor)
	return nil
}

// due reports whether the next log read is a check.
func (t *tail) due() bool {
	return t.unproven() || since(t.checked) > checkEvery || t.base.health.failing() > 0
}

// unproven reports whether the end of the log is not known without a check.
func (t *tail) unproven() bool { return t.conn.dialed.Load() || t.checked.IsZero() }

// readRecords reads the records after the cursor and applies them.
func (t *tail) readRecords(ctx context.Context) error {
	answer := t.base.unread(ctx, t.conn.node, t.cursor)
	if errors.Is(answer.Err(), redis.Nil) {
		return nil // no record, as nearly always
	}
	records, err := itemsOf(answer)
	t.apply(records)
	if len(records) == batch {
		t.checked = time.Time{} // there may be more, and some may have been trimmed
	}
	return err
}

// apply passes items to the follower, and moves the cursor after them.
func (t *tail) apply(items []Item) {
	for _, i := range items {
		switch {
		case i.Record != nil:
			t.base.n.add(&t.base.n.Followed, 1)
			t.follower.Apply(i.At, i.Record)
		case i.Mark:
			t.follower.Distrust(i.At)
			t.checked = time.Time{} // the clock may have been set back
		case i.decides:
			t.checked = time.Time{} // the check reads the decisions
		}
		t.proven = t.proven || i.epoch == t.epoch
		t.cursor = i.At
		t.since++
	}
}

// check inspects the stream once. It reports a gap to the follower. Until it has brought the tail to the end of
// the stream, another one is due.
func (t *tail) check(ctx context.Context) error {
	t.conn.dialed.Store(false)
	t.checked = time.Time{}
	began := time.Now()
	s, err := t.base.inspect(ctx, t.conn.node, t.cursor)
	if err != nil {
		return err
	}
	t.base.pace.add(began)
	back := t.wentBack(s, began)
	t.base.clock.Store(&s.clock)
	switch {
	case back || s.count == 0: // an empty stream has no position to begin from
		return t.mark(ctx, s)
	case t.epoch == "":
		// What was fetched before the oldest record may have been purged by a record
		// that is gone.
		t.begin(s)
		t.follower.Distrust(s.first)
	case t.gap(s):
		t.base.n.add(&t.base.n.Breaks, 1)
		t.follower.Distrust(s.last)
		t.begin(s)
		return nil // from the beginning: records may come twice, which does no harm
	}
	t.apply(s.records)
	switch {
	case s.truncated:
		return nil
	case !t.proven:
		return t.mark(ctx, s)
	}
	t.base.options.Decided(ctx, s.decisions)
	// Deleted records at the end leave the cursor behind.
	t.cursor = s.last
	t.added = s.added
	t.since = 0
	t.checked = began
	t.base.epoch.Store(new(t.epoch)) // a copy: appends read it
	t.base.health.worked()
	return nil
}

// tolerance is how far the clock of Redis may fall behind between two checks. Entries get no more
// than this much younger.
const tolerance = 50 * time.Millisecond

// wentBack reports whether the stream, or the clock of Redis, is behind what was seen before. A
// check that began at a time saw the clock after it, so that a stall of this process proves
// nothing. A mark behind everything that is known mends both: otherwise positions that entries
// already carry would be assigned again, and entries would count as younger than they are.
func (t *tail) wentBack(s *snapshot, began time.Time) bool {
	previous := t.base.clock.Load()
	clock := previous != nil && s.clock.redis.Before(previous.redis.Add(began.Sub(previous.local)-tolerance))
	// After a gap the stream may be behind what the follower has beyond the cursor: a purge of its own
	// that was lost, or an entry of another instance.
	behind := s.last < t.cursor || t.epoch != "" && s.last < t.follower.Position() && t.gap(s)
	if !clock && !behind {
		return false
	}
	t.base.n.add(&t.base.n.Breaks, 1)
	return true
}

// mark appends a mark behind everything that this instance and the stream know. Several instances
// may do so at once; that does no harm.
func (t *tail) mark(ctx context.Context, s *snapshot) error {
	_, err := t.base.xadd(ctx, t.conn.node, max(t.cursor, t.follower.Position()), s.epoch)
	return err
}

// gap reports whether records between the cursor and the end of the stream may be gone.
func (t *tail) gap(s *snapshot) bool {
	switch {
	case s.epoch != t.epoch:
		return true
	case t.cursor != 0 && t.cursor < s.first:
		return true
	case s.truncated || s.added == 0: // not at the end yet; or Redis 6.2, which does not count
		return false
	}
	return s.added != t.added+t.since+int64(len(s.records))
}

// begin follows the stream of s from its first record.
func (t *tail) begin(s *snapshot) {
	t.epoch = s.epoch
	t.cursor = 0
	t.added = s.added - s.count
	t.since = 0
	t.proven = false
}
