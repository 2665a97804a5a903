package proxy

import (
	"context"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// CacheObserver tells metrics what a cache waits for.
type CacheObserver struct {
	Metrics *Metrics // nil counts nothing
}

var _ cache.Observer = CacheObserver{}

// Call implements [cache.Observer].
func (o CacheObserver) Call(ctx context.Context, name string) (context.Context, func(error)) {
	began := time.Now()
	return ctx, func(error) {
		if o.Metrics != nil {
			o.Metrics.redisTime.WithLabelValues(name).Observe(time.Since(began).Seconds())
		}
	}
}

// Carry implements [cache.Observer].
func (o CacheObserver) Carry(life, _ context.Context) context.Context { return life }
