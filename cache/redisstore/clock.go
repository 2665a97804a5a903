package redisstore

import (
	"strconv"
	"time"
)

// tick is one look at the clock of Redis.
type tick struct {
	local time.Time // of this process, for its monotonic part
	redis time.Time
}

// newTick reads what INFO says (server_time_usec). A Redis before 6.2 does not
// say it; then the clock of this process has to do.
func newTick(local time.Time, micros string) tick {
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return tick{local, local}
	}
	return tick{local, time.UnixMicro(n)}
}

// Now is the time that all copies share: that of the node which has the purge
// log, as the follower saw it several times a second. It is zero before the first
// time. Entries bear it, so that their age does not depend on the clocks of
// copies, and a lookup is one GET: it need not ask how long the key has yet to live.
func (r *Store) Now() time.Time {
	seen := r.clock.Load()
	if seen == nil {
		return time.Time{}
	}
	return seen.redis.Add(time.Since(seen.local) + r.options.Skew())
}
