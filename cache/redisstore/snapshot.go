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
	more        bool      // there are items after records
	live        int64     // instances that follow the log, this one included
	decisions   Decisions // their latest version, without the state
}

var errReplica = errors.New("redis: the purge log is on a replica")

// look inspects the stream and reads it after the cursor, in one transaction.
func (t *tail) look(ctx context.Context) (*snapshot, error) {
	ctx, cancel := t.limit(ctx, t.redis.options.PurgeWait)
	defer cancel()
	var server, replication *redis.StringCmd
	var stream *redis.XInfoStreamCmd
	var records *redis.XStreamSliceCmd
	var live *redis.Cmd
	var decisions *redis.SliceCmd
	member := ""
	if t.redis.options.Decided != nil {
		member = t.redis.member()
	}
	_, err := t.node.TxPipelined(ctx, func(p redis.Pipeliner) error {
		server, replication = p.Info(ctx, "server"), p.Info(ctx, "replication")
		stream = p.XInfoStream(ctx, t.redis.logKey())
		records = p.XRead(ctx, &redis.XReadArgs{
			Streams: []string{t.redis.logKey(), t.cursor.String()}, Count: batch, Block: -1,
		})
		live = p.Eval(ctx, register, []string{t.redis.liveKey(), t.redis.membersKey()}, t.redis.id, t.redis.registered().Milliseconds(),
			member, t.redis.leased().Milliseconds())
		decisions = p.HMGet(ctx, t.redis.decisionsKey(), "v", "id")
		return nil
	})
	// No stream is an error of XINFO, no records one of XREAD; both are answers.
	absent := redis.HasErrorPrefix(stream.Err(), "no such key")
	if err != nil && !absent && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	if err := errors.Join(server.Err(), replication.Err(), live.Err(), decisions.Err()); err != nil {
		return nil, err
	}
	s := &snapshot{
		epoch: digest(infoField(server.Val(), "run_id") + infoField(replication.Val(), "master_replid"))[:16],
		at:    newReading(time.Now(), infoField(server.Val(), "server_time_usec")),
	}
	if infoField(replication.Val(), "role") == "slave" {
		return nil, errReplica // it lags behind, or was master until now
	}
	if s.live, err = live.Int64(); err != nil {
		return nil, err
	}
	if s.decisions, err = decisionsOf(decisions.Val()); err != nil {
		return nil, err
	}
	if absent {
		return s, nil
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
