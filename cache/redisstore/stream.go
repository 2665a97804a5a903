package redisstore

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// snapshot is the stream at one moment.
type snapshot struct {
	epoch       string   // of the server's memory: after a restart or a failover it is another
	clock       reading  // its clock
	count       int64    // items; 0 also if there is no stream, and nothing below is set
	added       int64    // items ever added; 0 before Redis 7
	first, last Position // oldest item that is there; newest ever added
	records     []Item
	truncated   bool // there are items after records
	decisions   SharedState
}

// inspect reads the state of the stream, and the records after a position, in one transaction.
// It writes a key, to see whether that is possible.
func (b *base) inspect(ctx context.Context, node redis.Cmdable, cursor Position) (*snapshot, error) {
	p := node.TxPipeline()
	p.Set(ctx, b.besideLog("probe"), b.id, time.Minute)
	server := p.Info(ctx, "server")
	replication := p.Info(ctx, "replication")
	clock := p.Time(ctx)
	decisions := p.HMGet(ctx, b.besideLog("decisions"), "v", "id", "s")
	stream := p.XInfoStream(ctx, b.logKey)
	records := b.unread(ctx, p, cursor)
	commands, err := p.Exec(ctx)
	if redis.HasErrorPrefix(err, "EXECABORT") { // one was refused: by itself it gets the reason
		alone := node.Pipeline()
		_ = alone.BatchProcess(ctx, commands...)
		_, reason := alone.Exec(ctx)
		return nil, cmp.Or(reason, err)
	}
	// No stream is an error of XINFO, no records one of XREAD; both are answers.
	absent := redis.HasErrorPrefix(stream.Err(), "no such key")
	incomplete := errors.Join(server.Err(), replication.Err(), clock.Err())
	switch {
	case err != nil && !absent && !errors.Is(err, redis.Nil):
		return nil, err
	case incomplete != nil:
		return nil, incomplete
	case infoField(replication.Val(), "role") == "slave":
		return nil, errReplica
	}
	s := &snapshot{
		epoch: digest(infoField(server.Val(), "run_id") + infoField(replication.Val(), "master_replid"))[:16],
		clock: reading{local: time.Now(), redis: clock.Val()},
	}
	info := stream.Val()
	if err = decisions.Scan(&s.decisions); err != nil || absent || info.Length == 0 {
		return s, err
	}
	var noFirst, noLast error
	s.count = info.Length
	s.added = info.EntriesAdded
	s.first, noFirst = positionOf(info.FirstEntry.ID)
	s.last, noLast = positionOf(info.LastGeneratedID)
	s.records, err = itemsOf(records)
	s.truncated = len(s.records) == batch
	return s, errors.Join(noFirst, noLast, err)
}

// batch is the largest number of records in one read.
const batch = 1000

// unread reads a batch of the records after a position.
func (b *base) unread(ctx context.Context, c redis.Cmdable, cursor Position) *redis.XStreamSliceCmd {
	return c.XRead(ctx, &redis.XReadArgs{Streams: []string{b.logKey, cursor.id()}, Count: batch, Block: -1})
}

func infoField(info, name string) string {
	_, suffix, _ := strings.Cut(info, "\n"+name+":")
	value, _, _ := strings.Cut(suffix, "\r\n")
	return value
}

// appendRecord appends a record behind a position.
func (b *base) appendRecord(ctx context.Context, c redis.Cmdable, last Position, record []byte) (Position, error) {
	return b.xadd(ctx, c, last, *b.epoch.Load(), fieldRecord, record)
}

// appendAll appends records as appendRecord does, in one round trip.
func (b *base) appendAll(ctx context.Context, c redis.Cmdable, last Position, records [][]byte) ([]Position, error) {
	epoch := *b.epoch.Load()
	p := c.Pipeline()
	ids := make([]*redis.StringCmd, len(records))
	for i, record := range records {
		ids[i] = p.XAdd(ctx, b.item("*", epoch, fieldRecord, record))
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, err
	}
	positions := make([]Position, len(records))
	for i, id := range ids {
		appended, err := positionOf(id.Val())
		if err == nil && appended <= last {
			appended, err = b.appendRecord(ctx, c, last, records[i])
		}
		if err != nil {
			return nil, err
		}
		positions[i] = appended
	}
	return positions, nil
}

// xadd appends an item to the log behind a position: in a log that was emptied after the clock of Redis was
// set back, the next position is an earlier one, and an entry with that position would count as younger than the
// item. Then it is appended once more, with a position of its own.
func (b *base) xadd(ctx context.Context, c redis.Cmdable, last Position, epoch string, values ...any) (Position, error) {
	for next := "*"; ; {
		id, err := c.XAdd(ctx, b.item(next, epoch, values...)).Result()
		if next != "*" && redis.HasErrorPrefix(err, "The ID specified in XADD is equal or smaller") { // another instance was first
			next = "*"
			continue
		}
		if err != nil {
			return 0, err
		}
		appended, err := positionOf(id)
		if err != nil || appended > last {
			return appended, err
		}
		next = (last + 1).id()
	}
}

// item returns the arguments of an XADD of an item of the log.
func (b *base) item(id, epoch string, values ...any) *redis.XAddArgs {
	return &redis.XAddArgs{Stream: b.logKey, MaxLen: b.options.LogLength, Approx: true, ID: id, Values: append(values, fieldEpoch, epoch)}
}
