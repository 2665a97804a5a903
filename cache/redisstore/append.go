package redisstore

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// Append appends a record to the log and returns its position. After an error it may have
// been appended all the same; appending it again does no harm. It takes at most the budget.
func (r *Store) Append(ctx context.Context, record []byte) (Position, error) {
	at, _, err := r.append(ctx, record, "")
	return at, err
}

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

// appendTo appends a record to the log. It returns the record's position, and after it the
// instances that follow the log: one that registers later reads the record before it serves.
var appendTo = redis.NewScript(`
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', unpack(ARGV, 2))
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local followers = redis.call('ZRANGEBYSCORE', KEYS[2], string.format('(%.0f', now), '+inf')
table.insert(followers, 1, id)
return followers`)

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
