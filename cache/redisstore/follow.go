package redisstore

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Follower receives the records of the purge log. Its methods are called one at a time, by
// the goroutine of Follow.
type Follower interface {
	// Apply is called for every record in order, including those that this instance
	// appended, and again for some after a Distrust.
	Apply(at Position, record []byte)
	// Distrust is called when records may have been missed: everything from before at
	// counts as purged. It is also the first call, with the position of the oldest record
	// that the log still has.
	Distrust(at Position)
	// Checking is called before the end of the log is read.
	Checking()
	// Caught is called when everything that was in the log at the last Checking, up to at,
	// has been applied: after the first read of the log, after each reconnect, and several
	// times a second.
	Caught(at Position)
	// Lost is called when the log cannot be read, until the next Caught.
	Lost()
}

// batch is the largest number of records in one read.
const batch = 1000

// checkEvery is the interval between two checks of the log's end: short enough that no
// response waits for a check while all goes well. It also bounds one blocking read, and
// with it how long Follow takes to return.
func (r *Store) checkEvery() time.Duration { return r.options.PurgeWait * 2 / 5 }

// registered is how long an instance stays registered after a check. It is longer than the
// purge wait, during which the instance may serve, and no longer than that requires, since
// purges wait for an instance that has died.
func (r *Store) registered() time.Duration { return 2 * r.options.PurgeWait }

// Follow reads the log from its beginning and then follows it until ctx ends or
// r is closed, reconnecting by itself.
func (r *Store) Follow(ctx context.Context, f Follower) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	t := &tail{redis: r, follower: f}
	const least, most = 20 * time.Millisecond, 500 * time.Millisecond
	lost, counted := false, false
	for wait := least; ctx.Err() == nil; wait = min(2*wait, most) {
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
			wait, lost = least, false
		} else if !lost {
			lost = true
			f.Lost()
		}
		pause(ctx, wait)
	}
}

// run follows the log on one connection until it fails. It uses a new client, which does
// not remember earlier masters and slots.
func (t *tail) run(ctx context.Context) (caught bool, err error) {
	c := t.redis.dial()
	defer func() { _ = c.Close() }()
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

// limit bounds one call of the follower. Redis counts as down when it does not send the end
// of the log within the purge wait: responses wait for that.
func (t *tail) limit(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, most)
	return ctx, func() {
		t.starved = ctx.Err() != nil && starved(time.Since(began), most)
		cancel()
	}
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

// read waits for records after the last one, for checkEvery at most, and applies them.
func (t *tail) read(ctx context.Context) (idle bool, err error) {
	block := t.redis.checkEvery()
	ctx, cancel := t.limit(ctx, block+t.redis.options.PurgeWait)
	defer cancel()
	streams, err := t.node.XRead(ctx, &redis.XReadArgs{
		Streams: []string{t.redis.logKey(), t.cursor.String()}, Count: batch, Block: block,
	}).Result()
	if err == redis.Nil {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	for _, s := range streams {
		if err := t.apply(ctx, s.Messages); err != nil {
			return false, err
		}
	}
	return false, nil
}
