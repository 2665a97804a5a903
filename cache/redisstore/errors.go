package redisstore

import (
	"context"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"
)

// ErrDown is returned by calls that were not made because Redis is known to be down.
var ErrDown = errors.New("redis: does not answer")

var (
	errSaturated = errors.New("redis: too many calls at once")           // a call got no slot in time
	errReplica   = errors.New("redis: the purge log is on a replica")    // it lags behind, or was the master until now
	errPanicked  = errors.New("redis: the look at the log has panicked") // of the request that made it
)

func timedOut(err error) bool {
	var e net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &e) && e.Timeout()
}

// refused reports whether Redis answered with err, as it would again: it is full, a replica, or
// loads its data.
func refused(err error) bool {
	var answer redis.Error
	return errors.Is(err, errReplica) || errors.As(err, &answer) && !errors.Is(err, redis.Nil)
}
