package redisstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
)

// Every instance that follows the log is a member of a sorted set beside it, scored with
// the time, by the clock of Redis, at which its registration expires. Each check of the
// log's end renews it in the same transaction. An instance that has not checked for longer
// than the purge wait serves nothing without a check, so no purge needs to wait for it.

// liveKey is in the slot of the log, of which it has the whole key as its hash tag.
func (r *Store) liveKey() string { return r.options.Prefix + ":live:{" + r.logKey() + "}" }

func (r *Store) ackChannel(writer string) string { return r.options.Prefix + ":ack:" + writer }

// register renews the registration of ARGV[1] for ARGV[2] ms, and returns the set.
const register = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
return redis.call('ZRANGE', KEYS[1], 0, -1)`

// appendTo appends a record to the log. It returns the record's position, and after it the
// instances that follow the log: one that registers later reads the record before it serves.
var appendTo = redis.NewScript(`
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', unpack(ARGV, 2))
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local followers = redis.call('ZRANGEBYSCORE', KEYS[2], string.format('(%.0f', now), '+inf')
table.insert(followers, 1, id)
return followers`)

// maxAcknowledged is the largest number of other instances that acknowledge a purge. Each
// one costs Redis a message and its delivery; with more, a purge waits for the purge wait.
const maxAcknowledged = 64

// AppendAwaited is [Store.Append] for a purge that must hold at every instance before a
// write is answered. applied waits until all other instances have acknowledged it, for the
// purge wait at most, and reports whether they have. After that time none of them serves
// without having read the purge. The caller must call applied.
func (r *Store) AppendAwaited(ctx context.Context, record []byte) (at Position, applied func(context.Context) bool, err error) {
	others := r.live.Load() - 1
	if others > 0 {
		_, _ = r.acknowledged.open(ctx, r) // without it the wait lasts for the purge wait
	}
	applying, token, forget := r.acks.expect(r.id)
	if others > maxAcknowledged {
		token = ""
	}
	at, live, err := r.append(ctx, record, token)
	if err != nil {
		forget()
		return 0, nil, err
	}
	return at, func(ctx context.Context) bool {
		defer forget()
		ctx, cancel := context.WithTimeout(ctx, r.options.PurgeWait)
		defer cancel()
		all := applying.await(ctx, r.id, live)
		if !all {
			r.n.unacknowledged.Add(1)
		}
		return all
	}, nil
}

// acks are the purges of this instance that others may yet acknowledge.
type acks struct {
	count atomic.Uint64

	mu     sync.Mutex
	awaits map[string]*ackSet // by number
}

// ackSet is the instances that have applied one purge.
type ackSet struct {
	changed chan struct{} // has a value after from has grown

	mu   sync.Mutex
	from map[string]bool
}

// expect begins to collect the acknowledgements of a purge that carries the token.
func (a *acks) expect(writer string) (set *ackSet, token string, forget func()) {
	number := strconv.FormatUint(a.count.Add(1), 10)
	set = &ackSet{changed: make(chan struct{}, 1), from: map[string]bool{}}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.awaits == nil {
		a.awaits = map[string]*ackSet{}
	}
	a.awaits[number] = set
	return set, writer + " " + number, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.awaits, number)
	}
}

// receive takes a message of another instance: its ID, and the numbers of the purges that
// it has applied.
func (a *acks) receive(message string) {
	from, numbers, _ := strings.Cut(message, " ")
	a.mu.Lock()
	defer a.mu.Unlock()
	for number := range strings.SplitSeq(numbers, " ") {
		if set := a.awaits[number]; set != nil {
			set.add(from)
		}
	}
}

func (s *ackSet) add(instance string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from[instance] = true
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// await waits until all of live but self have acknowledged the purge.
func (s *ackSet) await(ctx context.Context, self string, live []string) bool {
	for {
		if s.complete(self, live) {
			return true
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
			return false
		}
	}
}

func (s *ackSet) complete(self string, live []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, instance := range live {
		if instance != self && !s.from[instance] {
			return false
		}
	}
	return true
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

func (r *Store) append(ctx context.Context, record []byte, token string) (at Position, live []string, err error) {
	r.n.appends.Add(1)
	values := []any{r.options.LogLength, fieldRecord, record, fieldEpoch, *r.epoch.Load()}
	if token != "" {
		values = append(values, fieldToken, token)
	}
	var followers []string
	err = r.try(ctx, r.options.Budget, func(ctx context.Context, c redis.UniversalClient) (err error) {
		followers, err = appendTo.Run(ctx, c, []string{r.logKey(), r.liveKey()}, values...).StringSlice()
		return err
	})
	if err != nil {
		r.n.appendErrors.Add(1)
		return 0, nil, fmt.Errorf("redis: append to the purge log: %w", err)
	}
	id, err := parseStreamID(followers[0])
	return id.position(), followers[1:], err
}
