package redisstore

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Follow reads the log from its beginning and then follows it until ctx ends or
// r is closed, reconnecting by itself.
func (r *Store) Follow(ctx context.Context, f Follower) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	t := &tail{redis: r, follower: &watched{Follower: f, state: &r.state}}
	const minWait, maxWait = 20 * time.Millisecond, 500 * time.Millisecond
	lost, counted := false, false
	for wait := minWait; ctx.Err() == nil; wait = min(2*wait, maxWait) {
		generation, up := r.breaker.allow()
		caught, err := t.run(ctx)
		if ctx.Err() != nil {
			return
		}
		// Spare the other calls finding out. A connection that broke after it worked is
		// not enough: it may have been this one alone.
		if up && dead(err) && (!caught || timedOut(err)) && !t.starved {
			r.breaker.trip(generation, err)
		}
		if caught || !counted {
			counted = true
			r.n.losses.Add(1)
		}
		// The first failure may be of a connection that did not survive a pause of this
		// process. The log is lost when a second attempt fails too.
		if caught {
			wait, lost = minWait, false
		} else if !lost {
			lost = true
			t.follower.Lost()
		}
		pause(ctx, wait)
	}
}

// run follows the log on one connection until it fails. It uses a new client, which does
// not remember earlier masters and slots.
func (t *tail) run(ctx context.Context) (caught bool, err error) {
	c := t.redis.dial()
	defer func() { _ = c.Close() }()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })() // ends a read in progress
	if t.node, err = nodeOf(ctx, c, t.redis.logKey()); err != nil {
		return false, err
	}
	if err = t.connect(ctx); err != nil {
		return false, err
	}
	for {
		if err = t.check(ctx); err != nil {
			return caught, err
		}
		caught = true
		idle := false
		for due := t.checked.Add(t.redis.checkEvery()); !idle && time.Now().Before(due); {
			if idle, err = t.read(ctx); err != nil {
				return caught, err
			}
		}
	}
}

// connect opens the connection, which may take longer than a call on it.
func (t *tail) connect(ctx context.Context) error {
	ctx, cancel := t.limit(ctx, patience)
	defer cancel()
	return t.node.Ping(ctx).Err()
}

// nodeOf returns the node that has key: a transaction with commands that have no key (INFO)
// must not be spread over a cluster. If the key moves to another node, this one answers
// with an error, and Follow connects again.
func nodeOf(ctx context.Context, c redis.UniversalClient, key string) (redis.Cmdable, error) {
	cluster, ok := c.(*redis.ClusterClient)
	if !ok {
		return c, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return cluster.MasterForKey(ctx, key)
}
