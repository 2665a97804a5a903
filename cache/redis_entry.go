package cache

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Get gives the value of key, and how long it has yet to live by the clock of
// Redis, so that the clocks of copies do not matter. Every failure is a miss.
func (r *Redis) Get(ctx context.Context, key string) (data []byte, left time.Duration, ok bool) {
	r.n.gets.Add(1)
	key = r.entryKey(key)
	err := r.try(ctx, r.options.Budget, func(ctx context.Context, c redis.UniversalClient) error {
		// PTTL goes first: a value that is replaced between the two then has the
		// shorter life of the old one. The other way round the old one would get
		// the longer life of the new one, and be stale as fresh.
		var life *redis.DurationCmd
		var value *redis.StringCmd
		_, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
			life, value = p.PTTL(ctx, key), p.Get(ctx, key)
			return nil
		})
		if err != nil {
			return err
		}
		left = life.Val()
		data, err = value.Bytes()
		return err
	})
	// Without a life it is not ours, or it ended between the two.
	if err != nil || left <= 0 {
		return nil, 0, false
	}
	r.n.hits.Add(1)
	return data, left, true
}

// Put stores data for life, which is in milliseconds in Redis; what lives
// shorter is not stored. It is not for the path of a request: it may take
// 500 ms. Failures are counted and dropped.
func (r *Redis) Put(ctx context.Context, key string, data []byte, life time.Duration) {
	if life < time.Millisecond {
		return
	}
	r.n.puts.Add(1)
	err := r.try(ctx, patience, func(ctx context.Context, c redis.UniversalClient) error {
		return c.Set(ctx, r.entryKey(key), data, life).Err()
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		r.n.putErrors.Add(1)
	}
}
