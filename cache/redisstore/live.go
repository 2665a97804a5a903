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

// Every instance that follows the log stands in a sorted set beside it, scored with the
// time by the clock of Redis until which it counts. Each check of the log's end renews
// that, in the same transaction: who has not checked for longer than the purge wait
// serves nothing without a check, and so needs not be waited for.

// liveKey is in the slot of the log, of which it has the whole key as its hash tag.
func (r *Store) liveKey() string { return r.options.Prefix + ":live:{" + r.logKey() + "}" }

func (r *Store) ackChannel(writer string) string { return r.options.Prefix + ":ack:" + writer }

// register renews the entry ARGV[1] for ARGV[2] ms, and gives all of the set.
const register = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
return redis.call('ZRANGE', KEYS[1], 0, -1)`

// appendTo appends a record to the log and gives its place, and after it who follows the
// log: whoever comes later reads the record before it serves.
var appendTo = redis.NewScript(`
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', unpack(ARGV, 2))
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local told = redis.call('ZRANGEBYSCORE', KEYS[2], string.format('(%.0f', now), '+inf')
table.insert(told, 1, id)
return told`)

// maxAcknowledged is how many instances a purge has acknowledged at most. Each one costs
// Redis a message and its delivery; of more, the purge waits out the purge wait.
const maxAcknowledged = 64

// AppendAwaited is [Redis.Append] for a purge that must have been applied everywhere
// before something is said: applied waits for that, for the purge wait at most, and
// reports whether all other instances have said so. After that time none of them serves
// without having read the purge. It has to be called.
func (r *Store) AppendAwaited(ctx context.Context, record []byte) (at Position, applied func(context.Context) bool, err error) {
	others := r.live.Load() - 1
	if others > 0 {
		_, _ = r.wake.listen(ctx, r) // without it nothing is heard, and the wait goes to its end
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
			r.n.unconfirmed.Add(1)
		}
		return all
	}, nil
}

// acks are the purges of this instance that others may yet say they have applied.
type acks struct {
	count atomic.Uint64

	mu     sync.Mutex
	awaits map[string]*roll // by number
}

// roll is who has applied one purge.
type roll struct {
	news chan struct{} // has something once heard has more

	mu    sync.Mutex
	heard map[string]bool
}

// expect begins to collect who has applied a purge that bears the token.
func (a *acks) expect(writer string) (r *roll, token string, forget func()) {
	number := strconv.FormatUint(a.count.Add(1), 10)
	r = &roll{news: make(chan struct{}, 1), heard: map[string]bool{}}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.awaits == nil {
		a.awaits = map[string]*roll{}
	}
	a.awaits[number] = r
	return r, writer + " " + number, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.awaits, number)
	}
}

// tell takes a message of another instance: its id, and the numbers of purges that it
// has applied.
func (a *acks) tell(message string) {
	who, numbers, _ := strings.Cut(message, " ")
	a.mu.Lock()
	defer a.mu.Unlock()
	for number := range strings.SplitSeq(numbers, " ") {
		if r := a.awaits[number]; r != nil {
			r.tick(who)
		}
	}
}

func (r *roll) tick(who string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard[who] = true
	select {
	case r.news <- struct{}{}:
	default:
	}
}

// await waits until all of live but self have applied it.
func (r *roll) await(ctx context.Context, self string, live []string) bool {
	for {
		if r.complete(self, live) {
			return true
		}
		select {
		case <-r.news:
		case <-ctx.Done():
			return false
		}
	}
}

func (r *roll) complete(self string, live []string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, who := range live {
		if who != self && !r.heard[who] {
			return false
		}
	}
	return true
}

// acknowledge tells the writers of purges that they have been applied here. What is not
// heard costs the writer its wait.
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
	var told []string
	err = r.try(ctx, r.options.Budget, func(ctx context.Context, c redis.UniversalClient) (err error) {
		told, err = appendTo.Run(ctx, c, []string{r.logKey(), r.liveKey()}, values...).StringSlice()
		return err
	})
	if err != nil {
		r.n.appendErrors.Add(1)
		return 0, nil, fmt.Errorf("cache: append to the purge log: %w", err)
	}
	id, err := parseStreamID(told[0])
	return id.position(), told[1:], err
}
