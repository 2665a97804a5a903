package cache

import (
	"context"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Shared is what a [Cache] needs of the tier that all instances share, such as [Redis].
type Shared interface {
	Follow(redisstore.Follower)
	Look() error
	Append(ctx context.Context, record []byte) (redisstore.Position, error)
	Up() bool
	Now() time.Time

	Find(ctx context.Context, key string, life time.Duration) (redisstore.Found, error)
	Put(ctx context.Context, key string, data []byte, life time.Duration)
	Wait(ctx context.Context, key string) (failure string, err error)
}

// Redis returns r as a tier that all instances share; nil for nil.
func Redis(r *redisstore.Store) Shared {
	if r == nil {
		return nil
	}
	return r
}
