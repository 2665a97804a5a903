package cache

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Follower is told what stands in the purge log. Its methods are called one at a
// time, by the goroutine of Follow.
type Follower interface {
	// Apply is called for every record in order, also for those this copy
	// appended, and again for some after a Distrust.
	Apply(at Position, record []byte)
	// Distrust is called when records may have been missed: nothing from before
	// at may be believed. It is also called first of all, with the place of the
	// oldest record that the log still has.
	Distrust(at Position)
	// Caught says that everything up to at has been applied: after the first read
	// of the log, after each reconnect, and several times a second.
	Caught(at Position)
	// Lost says that the log cannot be read, until the next Caught.
	Lost()
}

const (
	// blockFor bounds one blocking read, and with it how long Follow takes to end.
	blockFor = 200 * time.Millisecond
	// checkEvery is how often a log with news is checked for gaps; one without is
	// after each read.
	checkEvery = 200 * time.Millisecond
	// batch is how many records one read takes.
	batch = 1000
)

// Follow reads the log from its beginning and then follows it until ctx ends or
// r is closed, reconnecting by itself.
func (r *Redis) Follow(ctx context.Context, f Follower) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	t := &tail{redis: r, follower: f}
	const least, most = 20 * time.Millisecond, 500 * time.Millisecond
	lost := false
	for wait := least; ctx.Err() == nil; wait = min(2*wait, most) {
		generation, up := r.breaker.allow()
		caught, err := t.run(ctx)
		if ctx.Err() != nil {
			return
		}
		if caught {
			wait, lost = least, false
		}
		// Nobody else has to find out. A connection that broke after it worked is
		// not enough: it may have been just this one.
		if up && dead(err) && (!caught || timedOut(err)) {
			r.breaker.trip(generation)
		}
		if !lost {
			lost = true
			r.n.losses.Add(1)
			f.Lost()
		}
		pause(ctx, wait)
	}
}

// run follows the log on one connection until it fails. A new client knows
// nothing of masters and slots that were.
func (t *tail) run(ctx context.Context) (caught bool, err error) {
	c := t.redis.dial()
	defer func() { _ = c.Close() }()
	if t.node, err = nodeOf(ctx, c, t.redis.logKey()); err != nil {
		return false, err
	}
	for {
		if err = t.check(ctx); err != nil {
			return caught, err
		}
		caught = true
		idle := false
		for due := time.Now().Add(checkEvery); !idle && time.Now().Before(due); {
			if idle, err = t.read(ctx); err != nil {
				return caught, err
			}
		}
	}
}

// nodeOf gives the node that has key: a transaction with commands that have no
// key (INFO) must not be spread over a cluster. If the key moves away, the node
// answers with an error, and Follow begins again.
func nodeOf(ctx context.Context, c redis.UniversalClient, key string) (redis.Cmdable, error) {
	cluster, ok := c.(*redis.ClusterClient)
	if !ok {
		return c, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return cluster.MasterForKey(ctx, key)
}

// read waits a little for records behind the last one and applies them.
func (t *tail) read(ctx context.Context) (idle bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, blockFor+patience)
	defer cancel()
	streams, err := t.node.XRead(ctx, &redis.XReadArgs{
		Streams: []string{t.redis.logKey(), t.cursor.String()}, Count: batch, Block: blockFor,
	}).Result()
	if err == redis.Nil {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	for _, s := range streams {
		if err := t.apply(s.Messages); err != nil {
			return false, err
		}
	}
	return false, nil
}
