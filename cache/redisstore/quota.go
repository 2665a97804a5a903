package redisstore

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Allowance is the remainder of a quota.
type Allowance struct {
	Left int           // requests that are allowed at once
	Wait time.Duration // until the next one is allowed; 0 if this one was
	Full time.Duration // until the whole quota is available again
}

// takeOne is the generic cell rate algorithm: the key holds when the whole quota is
// available again, in microseconds of the server's clock, which all instances share. A
// clock that was set back costs a client no more than a whole quota.
var takeOne = redis.NewScript(`
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local every, most = tonumber(ARGV[1]), ARGV[1] * ARGV[2]
local full = tonumber(redis.call('GET', KEYS[1]) or 0)
full = math.min(math.max(full, now), now + most)
local after = full + every
if after > now + most then
	return {0, after - now - most, full - now}
end
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000))
return {math.floor((now + most - after) / every), 0, after - now}`)

// Take takes one request from the quota of key, which has burst of them and regains one
// every interval (at least 1 µs). An error means that the quota is not known. It takes no
// longer than a lookup.
func (r *Store) Take(ctx context.Context, key string, interval time.Duration, burst int) (Allowance, error) {
	return ask(ctx, r.base, "quota", r.options.Brief, func(ctx context.Context, c redis.UniversalClient) (Allowance, error) {
		numbers, err := takeOne.Run(ctx, c, []string{r.quotaKey(key)}, max(1, interval.Microseconds()), burst).Int64Slice()
		if err != nil {
			return Allowance{}, err
		}
		return allowanceOf(numbers)
	})
}

// allowanceOf reads the response of takeOne: requests, and two durations in microseconds. What answers in the
// place of Redis may be a proxy, so the response may have any length.
func allowanceOf(numbers []int64) (Allowance, error) {
	if len(numbers) != 3 {
		return Allowance{}, fmt.Errorf("%d numbers in the response, want 3", len(numbers))
	}
	return Allowance{
		Left: int(numbers[0]),
		Wait: time.Duration(numbers[1]) * time.Microsecond,
		Full: time.Duration(numbers[2]) * time.Microsecond,
	}, nil
}
