package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Open checks the options. It does not connect, so a Redis that is down is no error.
// Errors never contain a password.
func Open(o Options) (*Store, error) {
	if o.Prefix == "" {
		o.Prefix = "calfacade"
	}
	if o.Budget <= 0 {
		o.Budget = 25 * time.Millisecond
	}
	if o.LogLength <= 0 {
		o.LogLength = 10_000
	}
	if o.PurgeWait <= 0 {
		o.PurgeWait = 250 * time.Millisecond
	}
	if o.Lease <= 0 {
		o.Lease = 10 * time.Second
	}
	o.Name = cleanName(o.Name)
	if o.Skew == nil {
		o.Skew = func() time.Duration { return 0 }
	}
	dial, pool, err := parseURLs(o.URLs, o.Budget)
	if err != nil {
		return nil, err
	}
	silence()
	r := &Store{
		options: o, id: rand.Text(), dial: dial,
		lookups: make(chan struct{}, (pool+1)/2), stores: make(chan struct{}, (pool+3)/4),
	}
	r.state.Wait = o.PurgeWait
	r.ctx, r.cancel = context.WithCancel(context.Background())
	c := dial()
	r.client.Store(&c)
	r.epoch.Store(new(string))
	r.breaker = newBreaker(r.ctx, r.revive)
	r.breaker.opened, r.breaker.changed = r.acknowledged.drop, o.Changed
	return r, nil
}

// PurgeWait is [Options.PurgeWait].
func (r *Store) PurgeWait() time.Duration { return r.options.PurgeWait }

// Close closes the connections and stops everything in the background. Calls in progress
// fail as if Redis were down.
func (r *Store) Close() error {
	r.leave()
	r.cancel()
	r.breaker.wait()
	r.acknowledged.drop()
	if err := (*r.client.Load()).Close(); !errors.Is(err, redis.ErrClosed) {
		return err
	}
	return nil // the breaker closed it
}

// revive is the breaker's probe. It uses a new client, because the one in use remembers
// the failure: go-redis refuses to dial for up to a second after failures, and keeps the
// address of a master that is gone and the old slots of a cluster. When Redis answers
// within about the budget of a call, the new client replaces the one in use.
//
// The client in use is closed first, so that no call is left waiting on it.
func (r *Store) revive(ctx context.Context) error {
	_ = (*r.client.Load()).Close() // closed already, except the first time
	c := r.dial()
	// The first round pays for dialing, TLS and finding the master.
	for _, limit := range []time.Duration{patience, 4 * r.options.Budget} {
		if err := ping(ctx, limit, c); err != nil {
			_ = c.Close() // nothing else holds it
			return err
		}
	}
	r.client.Store(&c)
	return nil
}

// ping pings every master of a cluster: with one of them down, a part of the lookups would
// each cost the whole budget.
func ping(ctx context.Context, limit time.Duration, c redis.UniversalClient) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if cluster, ok := c.(*redis.ClusterClient); ok {
		return cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
			return node.Ping(ctx).Err()
		})
	}
	return c.Ping(ctx).Err()
}

// name returns a name for operators, without what the members' separator or a terminal may
// take for something else.
func cleanName(s string) string {
	return strings.Map(func(c rune) rune {
		if c <= ' ' || c > '~' {
			return '_'
		}
		return c
	}, s)
}
