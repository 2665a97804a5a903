package redisstore

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// snapshot is the stream at one moment.
type snapshot struct {
	epoch       string   // of the server's memory: after a restart or a failover it is another
	at          reading  // its clock
	count       int64    // items; 0 also if there is no stream, and nothing below is set
	added       int64    // items ever added; 0 before Redis 7
	first, last streamID // oldest item that is there; newest ever added
	records     []redis.XMessage
	more        bool // there are items after records
	decisions   Decisions
}

// check brings the tail to the end of the stream. It reports a gap to the follower.
func (t *tail) check(ctx context.Context) error {
	for {
		t.dialed.Store(false)
		began := time.Now()
		s, err := t.inspect(ctx)
		if err != nil {
			return err
		}
		back := t.wentBack(s, began)
		t.store.clock.Store(&s.at)
		if back || s.count == 0 { // an empty stream has no position to begin from
			if err := t.mark(ctx, s); err != nil {
				return err
			}
			continue
		}
		if t.epoch == "" {
			// What was fetched before the oldest record may have been purged by a record
			// that is gone.
			t.begin(s)
			t.follower.Distrust(s.first.position())
		} else if t.gap(s) {
			t.store.n.add(&t.store.n.Breaks, 1)
			t.follower.Distrust(s.last.position())
			t.begin(s)
			continue // from the beginning: records may come twice, which does no harm
		}
		t.apply(s.records)
		if s.more {
			continue
		}
		if !t.known {
			if err := t.mark(ctx, s); err != nil {
				return err
			}
			continue
		}
		t.decided(ctx, s.decisions)
		// Deleted records at the end leave the cursor behind.
		t.cursor, t.added, t.since, t.checked = s.last, s.added, 0, began
		epoch := t.epoch // a copy: appends read it
		t.store.epoch.Store(&epoch)
		return nil
	}
}

// tolerance is how far the clock of Redis may fall behind between two checks. Entries get no more
// than this much younger.
const tolerance = 50 * time.Millisecond

// wentBack reports whether the stream, or the clock of Redis, is behind what was seen before. A
// check that began at a time saw the clock after it, so that a stall of this process proves
// nothing. A mark behind everything that is known mends both: otherwise positions that entries
// already carry would be assigned again, and entries would count as younger than they are.
func (t *tail) wentBack(s *snapshot, began time.Time) bool {
	before := t.store.clock.Load()
	clock := before != nil && s.at.redis.Before(before.redis.Add(began.Sub(before.local)-tolerance))
	// After a gap the stream may be behind what the follower has beyond the cursor: a purge of its own
	// that was lost, or an entry of another instance.
	lost := s.last.less(t.cursor) || t.epoch != "" && s.last.less(streamIDAt(t.follower.Position())) && t.gap(s)
	if !clock && !lost {
		return false
	}
	t.store.n.add(&t.store.n.Breaks, 1)
	return true
}

// mark appends a mark behind everything that this instance and the stream know. Several instances
// may do so at once; that does no harm.
func (t *tail) mark(ctx context.Context, s *snapshot) error {
	id, after := "*", later(later(t.cursor, s.last), streamIDAt(t.follower.Position()))
	if s.at.redis.UnixMilli() <= int64(after.ms) { // #nosec G115 -- parseStreamID reads 48 bits
		id = streamID{after.ms, after.seq + 1}.String()
	}
	err := t.node.XAdd(ctx, t.store.item(id, s.epoch)).Err()
	if behind(err) {
		return nil // another instance was first
	}
	return err
}

// gap reports whether records between the cursor and the end of the stream may be gone.
func (t *tail) gap(s *snapshot) bool {
	switch {
	case s.epoch != t.epoch:
		return true
	case t.cursor != streamID{} && t.cursor.less(s.first):
		return true
	case s.more || s.added == 0: // not at the end yet; or Redis 6, which does not count
		return false
	}
	return s.added != t.added+t.since+int64(len(s.records))
}

// begin follows the stream of s from its first record.
func (t *tail) begin(s *snapshot) {
	t.epoch, t.cursor = s.epoch, streamID{}
	t.added, t.since, t.known = s.added-s.count, 0, false
	t.decisions = nil // another change may have made the version that is known
}

// inspect reads the state of the stream, and the records after the cursor, in one transaction.
// It writes a key, to see whether that is possible.
func (t *tail) inspect(ctx context.Context) (*snapshot, error) {
	var server, replication *redis.StringCmd
	var stream *redis.XInfoStreamCmd
	var records *redis.XStreamSliceCmd
	var clock *redis.TimeCmd
	var decisions *redis.SliceCmd
	probe := func(c redis.Cmdable) error {
		return c.Set(ctx, t.store.besideLog("probe"), t.store.id, time.Minute).Err()
	}
	_, err := t.node.TxPipelined(ctx, func(p redis.Pipeliner) error {
		_ = probe(p)
		server, replication, clock = p.Info(ctx, "server"), p.Info(ctx, "replication"), p.Time(ctx)
		stream = p.XInfoStream(ctx, t.store.logKey())
		records = p.XRead(ctx, &redis.XReadArgs{
			Streams: []string{t.store.logKey(), t.cursor.String()}, Count: batch, Block: -1,
		})
		decisions = p.HMGet(ctx, t.store.decisionsKey(), "v", "id", "s")
		return nil
	})
	if redis.HasErrorPrefix(err, "EXECABORT") {
		err = errors.Join(err, probe(t.node)) // the reason, which a transaction does not tell
	}
	// No stream is an error of XINFO, no records one of XREAD; both are answers.
	absent := redis.HasErrorPrefix(stream.Err(), "no such key")
	if err != nil && !absent && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	if err := errors.Join(server.Err(), replication.Err(), clock.Err()); err != nil {
		return nil, err
	}
	if infoField(replication.Val(), "role") == "slave" {
		return nil, errReplica
	}
	s := &snapshot{
		epoch: digest(infoField(server.Val(), "run_id") + infoField(replication.Val(), "master_replid"))[:16],
		at:    reading{time.Now(), clock.Val()},
	}
	if s.decisions, err = decisionsOf(decisions); err != nil || absent {
		return s, err
	}
	return s, s.fill(stream, records)
}

func (s *snapshot) fill(stream *redis.XInfoStreamCmd, records *redis.XStreamSliceCmd) (err error) {
	info, err := stream.Result()
	if err != nil || info.Length == 0 {
		return err
	}
	s.count, s.added = info.Length, info.EntriesAdded
	if s.first, err = parseStreamID(info.FirstEntry.ID); err != nil {
		return err
	}
	if s.last, err = parseStreamID(info.LastGeneratedID); err != nil {
		return err
	}
	if err = records.Err(); err != nil && !errors.Is(err, redis.Nil) {
		return err
	}
	for _, r := range records.Val() {
		s.records = append(s.records, r.Messages...)
	}
	s.more = len(s.records) == batch
	return nil
}

func infoField(info, name string) string {
	_, rest, _ := strings.Cut(info, "\n"+name+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}
