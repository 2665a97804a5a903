package cache

import (
	"context"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Shared is what a [Cache] needs of the tier that all instances share: that of [Redis], or of a
// simulation.
type Shared interface {
	Up() bool
	Now() time.Time
	PurgeWait() time.Duration

	Get(ctx context.Context, key string) (data []byte, ok bool)
	Put(ctx context.Context, key string, data []byte, life time.Duration)

	Acquire(ctx context.Context, key string, purged redisstore.Position, life time.Duration) (lease Lease, held bool, err error)
	Wait(ctx context.Context, key string) (failure string, err error)

	Append(ctx context.Context, record []byte) (redisstore.Position, error)
	AppendAwaited(ctx context.Context, record []byte) (at redisstore.Position, applied func(context.Context) bool, err error)
	Follow(ctx context.Context, f redisstore.Follower)
}

// Lease is the right of one instance to fetch a key; see [redisstore.Lease].
type Lease interface {
	Keep()
	Release(ctx context.Context, failure string)
}

// Redis returns r as a tier that all instances share; nil for nil.
func Redis(r *redisstore.Store) Shared {
	if r == nil {
		return nil
	}
	return store{r}
}

// store is a [redisstore.Store] as Shared.
type store struct{ *redisstore.Store }

// Acquire returns no lease unless it is held.
func (s store) Acquire(ctx context.Context, key string, purged redisstore.Position, life time.Duration) (Lease, bool, error) {
	lease, held, err := s.Store.Acquire(ctx, key, purged, life)
	if !held {
		return nil, false, err
	}
	return lease, true, nil
}
