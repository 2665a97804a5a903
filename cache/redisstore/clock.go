package redisstore

import (
	"strconv"
	"time"
)

// reading is the clock of Redis at one moment.
type reading struct {
	local time.Time // of this process, for its monotonic part
	redis time.Time
}

// newReading parses server_time_usec of INFO. Redis before 6.2 does not send it; then the
// clock of this process stands in.
func newReading(local time.Time, micros string) reading {
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return reading{local, local}
	}
	return reading{local, time.UnixMicro(n)}
}

// Now returns the time that all instances share: the clock of the node that has the purge
// log, which the follower reads several times a second. It is zero before the first
// reading. Entries carry it, so that their age does not depend on the clocks of instances,
// and a lookup is one GET, without a second command for the key's remaining lifetime.
func (r *Store) Now() time.Time {
	seen := r.clock.Load()
	if seen == nil {
		return time.Time{}
	}
	return seen.redis.Add(time.Since(seen.local) + r.options.Skew())
}
