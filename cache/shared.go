package cache

import (
	"context"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Shared has the methods that a [Cache] needs of the tier that all instances share. A [redisstore.Store] implements it.
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
