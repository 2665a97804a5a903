package redisstore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// Look brings the follower to the end of the log as it was at a moment after the call, or with
// [Options.LookEvery] within that time before it. After an error the end is not known.
//
// It is not cancelled by a request: others wait for the same look. It takes as long as the look
// in progress and one more at most, each with [Options.Timeout], and with [Options.Brief] once
// Redis is known to be down. Looks are made then all the same: an instance that notices later
// than others that Redis is back would serve what they have purged.
func (r *Store) Look() error {
	if last := r.last.Load(); r.options.LookEvery > 0 && last != nil && since(*last) < r.options.LookEvery {
		return nil
	}
	return r.looks.join(func() error { return r.lookWithin(r.limit(r.options.Timeout)) })
}

// limit returns the time that a call may take: long, unless Redis is known to be down.
func (r *Store) limit(long time.Duration) time.Duration {
	if r.health.patient() {
		return long
	}
	return r.options.Brief
}

// since returns the time since t by whichever clock says more: the monotonic one may stand still
// while the machine is suspended, and the other one may be set.
func since(t time.Time) time.Duration {
	now := time.Now()
	return max(now.Sub(t), now.Round(0).Sub(t.Round(0)).Abs())
}

// lookWithin looks, again if the connection broke.
func (r *Store) lookWithin(limit time.Duration) (err error) {
	r.n.add(&r.n.Looks, 1)
	began := time.Now()
	ctx, cancel := context.WithTimeout(r.ctx, limit)
	defer cancel()
	for wait := time.Duration(0); ; wait = min(2*wait+time.Millisecond, 20*time.Millisecond) {
		if err = r.tail.look(ctx); err == nil || refused(err) {
			break
		}
		if pause(ctx, wait) != nil {
			break
		}
	}
	if err == nil {
		r.last.Store(&began)
		return nil
	}
	r.failed(began, limit, err)
	return err
}

// failed counts the failure of a look or of a purge. It ignores one of a process that gets too
// little of the processor, whose timers are late: that is no sign of a Redis that is down, and to
// go without Redis, to calls on the site that cost far more, would keep the process starved.
func (r *Store) failed(began time.Time, limit time.Duration, err error) {
	r.n.failed(err)
	starved := timedOut(err) && time.Since(began) > limit+limit/4+10*time.Millisecond
	if r.ctx.Err() == nil && !starved && r.health.failed(began, err) {
		r.n.add(&r.n.Trips, 1)
		r.recovering.Go(r.recover)
	}
}

// probeEvery is the pause between two probes of a Redis that is down.
const probeEvery = 200 * time.Millisecond

// recover looks until Redis works again, with the whole time of a look: looks of requests may be
// too short for a Redis that is far away. It does so once a new client gets an answer, so that
// no request waits for a Redis that is away. The client in use remembers the
// failure: go-redis refuses to dial for up to a second after failures, and keeps the address of a
// master that is gone and the old slots of a cluster.
func (r *Store) recover() {
	for ; r.ctx.Err() == nil && !r.Up(); _ = pause(r.ctx, probeEvery) {
		r.renew(r.client.Load())
		if r.answers() {
			_ = r.looks.join(func() error { return r.lookWithin(r.options.Timeout) })
		}
	}
}

// answers reports whether the node of the log answers.
func (r *Store) answers() bool {
	ctx, cancel := context.WithTimeout(r.ctx, patience)
	defer cancel()
	node, err := nodeOf(ctx, *r.client.Load(), r.logKey())
	return err == nil && node.Ping(ctx).Err() == nil
}

// renew replaces a client after a failure, unless it was replaced meanwhile. Calls in progress fail.
func (r *Store) renew(failed *redis.UniversalClient) {
	if c := r.dial(nil); !r.client.CompareAndSwap(failed, &c) {
		failed = &c
	}
	_ = (*failed).Close()
}

// Append appends a record to the log and returns its position. It tries for a second: what
// another instance serves meanwhile is no older than the write, which is not answered yet. After
// an error it may have been appended all the same; appending it again does no harm.
func (r *Store) Append(ctx context.Context, record []byte) (at Position, err error) {
	began, limit := time.Now(), r.limit(grace)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for wait := time.Duration(0); ; wait = min(2*wait+time.Millisecond, 50*time.Millisecond) {
		c := r.client.Load()
		once, cancel := context.WithTimeout(limited, r.options.Timeout)
		at, err = r.appendRecord(once, *c, record)
		cancel()
		if err == nil {
			r.health.worked()
			return at, nil
		}
		if refused(err) {
			r.failed(began, limit, err) // for the other calls; this one goes on until it is over
		}
		if pause(limited, wait) != nil {
			break
		}
		r.renew(c)
	}
	r.failed(began, limit, err)
	return 0, errors.Join(errors.New("redis: append to the purge log"), err)
}

// appendRecord appends a record behind everything that the follower knows.
func (r *Store) appendRecord(ctx context.Context, c redis.Cmdable, record []byte) (Position, error) {
	return r.xadd(ctx, c, r.tail.follower.Position(), *r.epoch.Load(), fieldRecord, record)
}

// xadd appends an item to the log behind a position: in a log that was emptied after the clock of Redis was
// set back, the next position is an earlier one, and an entry with that position would count as younger than the
// item. Then it is appended once more, with a position of its own.
func (r *Store) xadd(ctx context.Context, c redis.Cmdable, after Position, epoch string, values ...any) (Position, error) {
	for next := "*"; ; {
		id, err := c.XAdd(ctx, r.item(next, epoch, values...)).Result()
		if next != "*" && redis.HasErrorPrefix(err, "The ID specified in XADD is equal or smaller") { // another instance was first
			next = "*"
			continue
		}
		if err != nil {
			return 0, err
		}
		at, err := positionOf(id)
		if err != nil || at > after {
			return at, err
		}
		next = (after + 1).id()
	}
}

// item returns the arguments of an XADD of an item of the log.
func (r *Store) item(id, epoch string, values ...any) *redis.XAddArgs {
	return &redis.XAddArgs{Stream: r.logKey(), MaxLen: r.options.LogLength, Approx: true, ID: id, Values: append(values, fieldEpoch, epoch)}
}

// reading is the clock of Redis at one moment.
type reading struct {
	local time.Time // of this process, after the answer
	redis time.Time
}

// Now returns the time that all instances share: the clock of the node that has the purge log.
// It is zero before the first look. Entries carry it, so that their age does not depend on the
// clocks of instances.
func (r *Store) Now() time.Time {
	seen := r.clock.Load()
	if seen == nil {
		return time.Time{}
	}
	return seen.redis.Add(time.Since(seen.local) + r.options.Skew())
}

// looks lets requests share looks at the log. A look that has begun before a request arrived
// may miss what was appended in between, so a request waits for the next one, which the first of the
// waiting requests makes. There is at most one look at a time.
type looks struct {
	one sync.Mutex // held during a look

	mu   sync.Mutex
	next *round // that requests can join; nil: none waits
}

// round is a look and the requests that wait for it.
type round struct {
	done chan struct{} // closed at its end
	err  error         // set before
}

// join returns after a look that began after the call.
func (l *looks) join(look func() error) error {
	l.mu.Lock()
	if r := l.next; r != nil {
		l.mu.Unlock()
		<-r.done
		return r.err
	}
	r := &round{done: make(chan struct{}), err: errPanicked}
	l.next = r
	l.mu.Unlock()
	l.one.Lock()
	defer l.one.Unlock()
	l.mu.Lock()
	l.next = nil // who comes from here on waits for the next look
	l.mu.Unlock()
	defer close(r.done)
	r.err = look()
	return r.err
}

// grace is how long Redis may not answer before it counts as down. Until then a purge is sent
// again before its write is answered, and a look has its whole time: so a shorter pause of
// Redis makes no instance serve what another one has purged.
const grace = time.Second

// health is whether Redis works, by the looks at the log and the purges: a lost node of a
// cluster that does not hold the log costs its own entries alone.
type health struct {
	changed func(cause error) // see [Options.Changed]

	down atomic.Bool

	mu    sync.Mutex
	since time.Time // of the first failure after which nothing succeeded; zero: the last call succeeded
}

// worked is called after Redis has shown that it works, and accepts writes.
func (h *health) worked() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.since = time.Time{}
	if h.down.Swap(false) {
		h.changed(nil)
	}
}

// failed is called after a failure of a call that began at a time. It reports whether Redis has
// just been found to be down. A refusal is certain at once.
func (h *health) failed(began time.Time, cause error) (found bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.since.IsZero() {
		h.since = began
	}
	if h.down.Load() || !refused(cause) && time.Since(h.since) < grace {
		return false
	}
	h.down.Store(true)
	h.changed(cause)
	return true
}

// failing returns for how long nothing has succeeded; 0: the last call succeeded.
func (h *health) failing() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.since.IsZero() {
		return 0
	}
	return max(1, time.Since(h.since))
}

// patient reports whether a call may take its whole time: Redis is not known to be down for
// longer than grace.
func (h *health) patient() bool { return !h.down.Load() || h.failing() < grace }
