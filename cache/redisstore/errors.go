package redisstore

import (
	"context"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"
)

// ErrDown is returned by calls that were not made because the circuit breaker is open:
// Redis did not answer a moment ago, and no probe has been answered since.
var ErrDown = errors.New("redis: does not answer")

// errSaturated is returned by a call that got no slot in time.
var errSaturated = errors.New("redis: too many calls at once")

func timedOut(err error) bool {
	var e net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &e) && e.Timeout()
}

// dead reports whether err means that the next call would fail too. An error that Redis
// answered with does not, unless it is about the whole server.
func dead(err error) bool {
	var answer redis.Error
	switch {
	case errors.Is(err, redis.ErrPoolTimeout), errors.Is(err, redis.ErrClosed):
		return false // saturation here, or a newer client is in use
	case redis.IsLoadingError(err), redis.IsAuthError(err), redis.IsMasterDownError(err),
		redis.IsMaxClientsError(err), redis.IsReadOnlyError(err):
		return true
	}
	return !errors.As(err, &answer)
}

// refused reports whether Redis answered with err, as it would again.
func refused(err error) bool {
	var answer redis.Error
	return errors.As(err, &answer) && !dead(err)
}
