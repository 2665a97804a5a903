package redisstore

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// withSlot makes a call that a request waits for. Its budget starts when it has a slot.
//
// A slot is late only when there are more requests than can be served. As long as Redis
// answers, waiting is right: giving up would send the request to the source, which costs
// many times as much, so that more requests time out, until all go there. When Redis does
// not answer, nobody waits long: the calls that have slots time out together and open the
// breaker.
func (r *Store) withSlot(ctx context.Context, call func(context.Context, redis.UniversalClient) error) error {
	leave, err := r.enter(ctx, r.lookups)
	if err != nil {
		return err
	}
	defer leave()
	return r.try(ctx, r.options.Budget, call)
}

// store makes a call that no request waits for. It has slots of its own, since it may be
// slow where a lookup must not be.
func (r *Store) store(ctx context.Context, call func(context.Context, redis.UniversalClient) error) error {
	leave, err := r.enter(ctx, r.stores)
	if err != nil {
		return err
	}
	defer leave()
	return r.try(ctx, patience, call)
}

// enter takes one of slots, first come, first served.
func (r *Store) enter(ctx context.Context, slots chan struct{}) (leave func(), err error) {
	leave = func() { <-slots }
	select {
	case slots <- struct{}{}:
		return leave, nil
	default:
	}
	over := time.NewTimer(patience)
	defer over.Stop()
	select {
	case slots <- struct{}{}:
		return leave, nil
	case <-r.breaker.whenOpen():
		r.n.skipped.Add(1)
		return nil, ErrDown
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-over.C:
		r.n.saturated.Add(1)
		return nil, errSaturated
	}
}
