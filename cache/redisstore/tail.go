package redisstore

import (
	"context"
	"strings"
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

	decisions *Decisions // the version that [Options.Decided] has; nil: none yet

	checked time.Time // when the last check began
	starved bool      // the last call timed out because this process got no processor time
}

// batch is the largest number of records in one read.
const batch = 1000

// checkEvery is the interval between two checks of the log's end: short enough that no
// response waits for a check while all goes well. It also bounds one blocking read.
func (r *Store) checkEvery() time.Duration { return r.options.PurgeWait * 2 / 5 }

// limit bounds one call of the follower. Redis counts as down when it does not send the end
// of the log within the purge wait: responses wait for that.
func (t *tail) limit(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, most)
	return ctx, func() {
		t.starved = ctx.Err() != nil && starved(time.Since(began), most)
		cancel()
	}
}

// read waits for records after the last one, for checkEvery at most, and applies them.
func (t *tail) read(ctx context.Context) (idle bool, err error) {
	block := t.redis.checkEvery()
	limited, cancel := t.limit(ctx, block+t.redis.options.PurgeWait)
	streams, err := t.node.XRead(limited, &redis.XReadArgs{
		Streams: []string{t.redis.logKey(), t.cursor.String()}, Count: batch, Block: block,
	}).Result()
	cancel() // the limit is not one for what is done with the records
	if err == redis.Nil {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	for _, s := range streams {
		if err := t.apply(ctx, s.Messages); err != nil {
			return false, err
		}
	}
	return false, nil
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
		if err := t.applyItem(ctx, id.position(), m.Values); err != nil {
			return err
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

// applyItem passes an item of the log to the follower.
func (t *tail) applyItem(ctx context.Context, at Position, values map[string]any) error {
	if record, ok := values[fieldRecord].(string); ok {
		t.redis.n.followed.Add(1)
		t.follower.Apply(at, []byte(record))
		return nil
	}
	if version, ok := values[fieldDecisions].(string); ok {
		return t.reachDecisions(ctx, version)
	}
	t.follower.Distrust(at)
	return nil
}

// acknowledge informs the writers of purges that this instance has applied them. A message
// that is lost costs the writer the purge wait.
func (t *tail) acknowledge(ctx context.Context, tokens []string) {
	if len(tokens) == 0 {
		return
	}
	byWriter := map[string]string{}
	for _, token := range tokens {
		if writer, number, ok := strings.Cut(token, " "); ok && writer != t.redis.id {
			byWriter[writer] += " " + number
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, _ = t.node.Pipelined(ctx, func(p redis.Pipeliner) error {
		for writer, numbers := range byWriter {
			p.Publish(ctx, t.redis.ackChannel(writer), t.redis.id+numbers)
		}
		return nil
	})
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
