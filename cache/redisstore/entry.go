package redisstore

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Get returns the value of key. Every failure is a miss.
func (r *Store) Get(ctx context.Context, key string) (data []byte, ok bool) {
	r.n.gets.Add(1)
	key = r.entryKey(key)
	err := r.withSlot(ctx, func(ctx context.Context, c redis.UniversalClient) (err error) {
		data, err = c.Get(ctx, key).Bytes()
		return err
	})
	if err != nil {
		return nil, false
	}
	r.n.hits.Add(1)
	return data, true
}

// Put stores data for life, which Redis rounds to milliseconds; a shorter life stores
// nothing. It may take 500 ms, so no request may wait for it. Failures are only counted.
func (r *Store) Put(ctx context.Context, key string, data []byte, life time.Duration) {
	if life < time.Millisecond {
		return
	}
	r.n.puts.Add(1)
	err := r.store(ctx, func(ctx context.Context, c redis.UniversalClient) error {
		return c.Set(ctx, r.entryKey(key), data, life).Err()
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		r.n.putErrors.Add(1)
	}
}
