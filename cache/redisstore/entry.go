package redisstore

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Get gives the value of key. Every failure is a miss.
func (r *Store) Get(ctx context.Context, key string) (data []byte, ok bool) {
	r.n.gets.Add(1)
	key = r.entryKey(key)
	err := r.inTurn(ctx, func(ctx context.Context, c redis.UniversalClient) (err error) {
		data, err = c.Get(ctx, key).Bytes()
		return err
	})
	if err != nil {
		return nil, false
	}
	r.n.hits.Add(1)
	return data, true
}

// exchange sets an entry that ends in a checksum, if there is the one that ends in
// another.
var exchange = redis.NewScript(`
if redis.call('GETRANGE', KEYS[1], -#ARGV[1], -1) ~= ARGV[1] then
	return 0
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`)

// Replace stores data like [Redis.Put], in place of the entry that has the
// checksum old. If that is gone it stores nothing.
func (r *Store) Replace(ctx context.Context, key string, old uint64, data []byte, life time.Duration) {
	r.set(ctx, life, func(ctx context.Context, c redis.UniversalClient) error {
		sum := binary.LittleEndian.AppendUint64(nil, old)
		return exchange.Run(ctx, c, []string{r.entryKey(key)}, sum, data, life.Milliseconds()).Err()
	})
}

// Put stores data for life, which is in milliseconds in Redis; what lives
// shorter is not stored. It is not for the path of a request: it may take
// 500 ms. Failures are counted and dropped.
func (r *Store) Put(ctx context.Context, key string, data []byte, life time.Duration) {
	r.set(ctx, life, func(ctx context.Context, c redis.UniversalClient) error {
		return c.Set(ctx, r.entryKey(key), data, life).Err()
	})
}

func (r *Store) set(ctx context.Context, life time.Duration, call func(context.Context, redis.UniversalClient) error) {
	if life < time.Millisecond {
		return
	}
	r.n.puts.Add(1)
	err := r.store(ctx, call)
	if err != nil && !errors.Is(err, redis.Nil) {
		r.n.putErrors.Add(1)
	}
}
