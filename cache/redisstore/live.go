package redisstore

import "time"

// Every instance that follows the log is a member of a sorted set beside it, scored with
// the time, by the clock of Redis, at which its registration expires. Each check of the
// log's end renews it in the same transaction. An instance that has not checked for longer
// than the purge wait serves nothing without a check, so no purge needs to wait for it.

// register renews the registration of ARGV[1] for ARGV[2] ms, and returns the number of
// instances: to return their names would cost Redis the square of it. ARGV[3], if not empty, is
// the member of KEYS[2] whose lease it renews for ARGV[4] ms.
const register = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
if ARGV[3] ~= '' then
	redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now))
	redis.call('ZADD', KEYS[2], string.format('%.0f', now + ARGV[4]), ARGV[3])
end
return redis.call('ZCARD', KEYS[1])`

// registered is how long an instance stays registered after a check. It is longer than the
// purge wait, during which the instance may serve, and no longer than that requires, since
// purges wait for an instance that has died.
func (r *Store) registered() time.Duration { return 2 * r.options.PurgeWait }
