package redisstore

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// errCrowd says that Redis was not asked, since too many calls were before.
var errCrowd = errors.New("cache: too many calls to redis at once")

// inTurn makes a call that a request waits for. It may take the budget from when
// its turn comes.
//
// A turn comes late only when there are more requests than can be served. As long
// as Redis answers, to wait for it is right: to give up would send the request to
// the source, which costs many times as much, and with that more requests over
// their time, until all go there. A Redis that does not answer frees everybody:
// those before us run out of their budget at the same moment, and open the
// breaker.
func (r *Store) inTurn(ctx context.Context, call func(context.Context, redis.UniversalClient) error) error {
	leave, err := r.enter(ctx, r.lookups)
	if err != nil {
		return err
	}
	defer leave()
	return r.try(ctx, r.options.Budget, call)
}

// store makes a call that no request waits for. It has places of its own, for it
// may be slow where a lookup must not be.
func (r *Store) store(ctx context.Context, call func(context.Context, redis.UniversalClient) error) error {
	leave, err := r.enter(ctx, r.stores)
	if err != nil {
		return err
	}
	defer leave()
	return r.try(ctx, patience, call)
}

// enter takes one of places, first come first served.
func (r *Store) enter(ctx context.Context, places chan struct{}) (leave func(), err error) {
	leave = func() { <-places }
	select {
	case places <- struct{}{}:
		return leave, nil
	default:
	}
	over := time.NewTimer(patience)
	defer over.Stop()
	select {
	case places <- struct{}{}:
		return leave, nil
	case <-r.breaker.whenOpen():
		r.n.skipped.Add(1)
		return nil, ErrDown
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-over.C:
		r.n.crowded.Add(1)
		return nil, errCrowd
	}
}
