package redisstore

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
	// Checking says that the end of the log is looked up now.
	Checking()
	// Caught says that everything that stood in the log at the last Checking, up to at,
	// has been applied: after the first read of the log, after each reconnect, and
	// several times a second.
	Caught(at Position)
	// Lost says that the log cannot be read, until the next Caught.
	Lost()
}

// batch is how many records one read takes.
const batch = 1000

// checkEvery is how often the end of the log is checked: so often that no answer has to
// wait for a check while all goes well. It also bounds one blocking read, and with it
// how long Follow takes to end.
func (r *Store) checkEvery() time.Duration { return r.options.PurgeWait * 2 / 5 }

// registered is how long an instance counts after a check. It is longer than the purge
// wait, for so long it may serve; and as short as that allows, for so long purges wait
// for one that is gone.
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
		// Nobody else has to find out. A connection that broke after it worked is
		// not enough: it may have been just this one.
		if up && dead(err) && (!caught || timedOut(err)) && !t.starved {
			r.breaker.trip(generation)
		}
		if caught || !counted {
			counted = true
			r.n.losses.Add(1)
		}
		// The first failure may be of a connection that did not outlive a pause of this
		// process. Until the log could not be read anew, it is not lost.
		if caught {
			wait, lost = least, false
		} else if !lost {
			lost = true
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

// connect makes the connection, which may take longer than a call on it.
func (t *tail) connect(ctx context.Context) error {
	ctx, cancel := t.limit(ctx, patience)
	defer cancel()
	return t.node.Ping(ctx).Err()
}

// limit bounds one call of the follower. Redis is taken for dead when it does not say
// within the purge wait what stands in the log: answers wait for that.
func (t *tail) limit(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, most)
	return ctx, func() {
		t.starved = ctx.Err() != nil && starved(time.Since(began), most)
		cancel()
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
