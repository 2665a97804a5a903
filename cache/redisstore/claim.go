package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Claimed is the result of [Store.Claim].
type Claimed struct {
	Release func(context.Context) // ends the hold on the key, which the caller has now; nil: the key was claimed before
	Record  []byte                // of the holder before
	Held    bool                  // that holder still has the key
}

// claim stores a record and the lease on its key, unless the key has a record. It returns the record that the key has, and
// whether somebody has the lease. The client repeats a call whose answer was lost: the lease may be the caller's.
var claim = redis.NewScript(`
local record = redis.call('GET', KEYS[1])
if record then
	local holder = redis.call('GET', KEYS[2])
	if holder == ARGV[3] then return {} end
	return {record, holder and 1 or 0}
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
return {}`)

// Claim stores a record under key for life, unless the key has one. One caller of all instances gets the key, and holds
// it by a lease, which is renewed until Release. A claim whose answer is lost is undone in the background, if Redis answers
// within 500 ms: until then the key counts as claimed.
func (r *Store) Claim(ctx context.Context, key string, record []byte, life, lease time.Duration) (Claimed, error) {
	l := &Lease{store: r.base, key: key, token: rand.Text(), life: lease}
	answer, err := ask(ctx, r.base, "claim a key", patience, func(ctx context.Context, c redis.UniversalClient) ([]any, error) {
		keys := []string{r.recordKey(key), r.leaseKey(key)}
		return claim.Run(ctx, c, keys, record, life.Milliseconds(), l.token, lease.Milliseconds()).Slice()
	})
	switch {
	case err != nil:
		go r.abandon(l)
		return Claimed{}, err
	case len(answer) == 0:
		lasting, stop := context.WithCancel(r.ctx)
		l.stop = stop
		go l.keep(lasting)
		return Claimed{Release: l.Release}, nil
	case len(answer) != 2:
		return Claimed{}, errors.New("redis: claim a key: the response has neither 0 nor 2 values")
	}
	text, isText := answer[0].(string)
	holders, isNumber := answer[1].(int64)
	if !isText || !isNumber {
		return Claimed{}, errors.New("redis: claim a key: the response has other values than a record and a number")
	}
	return Claimed{Record: []byte(text), Held: holders > 0}, nil
}

// abandon removes a record together with the lease of its claim, unless another instance has the lease.
var abandon = redis.NewScript(`
if redis.call('GET', KEYS[2]) == ARGV[1] then return redis.call('DEL', KEYS[1], KEYS[2]) end
return 0`)

func (r *Store) abandon(l *Lease) {
	_, _ = ask(r.ctx, r.base, "undo a claim", patience, func(ctx context.Context, c redis.UniversalClient) (any, error) {
		return abandon.Run(ctx, c, []string{r.recordKey(l.key), r.leaseKey(l.key)}, l.token).Result()
	})
}

// Record replaces the record of a claimed key for life; a nil record removes it. It takes at most 500 ms. After an error
// the key may have either record.
func (r *Store) Record(ctx context.Context, key string, record []byte, life time.Duration) error {
	_, err := ask(ctx, r.base, "record a claim", patience, func(ctx context.Context, c redis.UniversalClient) (any, error) {
		if record == nil {
			return c.Del(ctx, r.recordKey(key)).Result()
		}
		return c.Set(ctx, r.recordKey(key), record, life).Result()
	})
	return err
}
