package redisstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Look brings the follower to the end of the log as it was at a moment after the call, or with
// [Options.LookEvery] within that time before it. After an error the end is not known, or records are missing in it:
// see [settle].
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

// limit returns the time that a call may take: long, unless Redis is known to be down. Then a request does not wait
// for a connection, and once there is one, as long as this Redis takes to answer.
func (r *Store) limit(long time.Duration) time.Duration {
	switch {
	case r.health.patient():
		return long
	case r.tail.lines.ready():
		return r.brief()
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
		if err = r.tail.within(ctx); err == nil || refused(err) {
			break
		}
		if pause(ctx, wait) != nil {
			break
		}
	}
	switch {
	case err != nil:
		r.failed(began, limit, err)
		return err
	case !r.Up():
		return errReturning
	}
	r.last.Store(&began)
	return nil
}

// failed counts the failure of a look or of a purge. It ignores one of a process that gets too
// little of the processor, whose timers are late: that is no sign of a Redis that is down. A Redis that
// is down would no longer be looked at for long, and its entries would not be served.
func (r *Store) failed(began time.Time, limit time.Duration, err error) {
	r.n.failed(err)
	starved := timedOut(err) && time.Since(began) > limit+limit/4+10*time.Millisecond
	if r.ctx.Err() == nil && !starved && r.health.failed(began, err) {
		r.n.add(&r.n.Trips, 1)
		r.recovering.Go(r.recover)
	}
}

// probeEvery is the interval between two probes of a Redis that is down.
const probeEvery = 100 * time.Millisecond

// recover looks until Redis works again, in slots of its own and with the whole time of a look, or of some round trips:
// looks of requests may be too short for a Redis that is far away. It does so once Redis has answered, so that no request waits for a Redis
// that is away. The client in use remembers the failure: go-redis refuses to dial for up to a second after failures,
// and keeps the address of a master that is gone and the old slots of a cluster.
func (r *Store) recover() {
	for r.ctx.Err() == nil && !r.Up() {
		next := time.After(probeEvery)
		if !r.health.returning() {
			r.renew(r.client.Load())
		}
		if r.tail.lines.current().connected(r.ctx) == nil {
			_ = r.looks.alone(func() error { return r.lookWithin(r.attempt()) })
		}
		select {
		case <-next:
		case <-r.ctx.Done():
		}
	}
}

// renew replaces a client after a failure, unless it was replaced meanwhile. Calls in progress fail.
func (b *base) renew(failed *redis.UniversalClient) {
	if c := b.dial(nil); !b.client.CompareAndSwap(failed, &c) {
		failed = &c
	}
	_ = (*failed).Close()
}

// Append appends a record to the log and returns its position. It tries for a second: what
// another instance serves meanwhile is no older than the write, which is not answered yet. After
// an error it may have been appended all the same; appending it again does no harm.
func (r *Store) Append(ctx context.Context, record []byte) (at Position, err error) {
	began := time.Now()
	limit := r.limit(grace)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for wait := time.Duration(0); ; wait = min(2*wait+time.Millisecond, 50*time.Millisecond) {
		c := r.client.Load()
		once, cancel := context.WithTimeout(limited, r.attempt())
		at, err = r.appendRecord(once, *c, r.tail.follower.Position(), record)
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
		if wait > 0 || refused(err) {
			r.renew(c) // before, a broken connection is replaced alone: that takes half as long at a Sentinel or a Cluster
		}
	}
	r.failed(began, limit, err)
	return 0, errors.Join(errors.New("redis: append to the purge log"), err)
}

// attempt returns the time for one try of an append, or for a probe: enough for a new connection.
func (b *base) attempt() time.Duration { return max(b.options.Timeout, b.pace.connect()) }

// appendRecord appends a record behind a position.
func (b *base) appendRecord(ctx context.Context, c redis.Cmdable, after Position, record []byte) (Position, error) {
	return b.xadd(ctx, c, after, *b.epoch.Load(), fieldRecord, record)
}

// appendAll appends records as appendRecord does, in one round trip.
func (b *base) appendAll(ctx context.Context, c redis.Cmdable, after Position, records [][]byte) ([]Position, error) {
	epoch := *b.epoch.Load()
	p := c.Pipeline()
	ids := make([]*redis.StringCmd, len(records))
	for i, record := range records {
		ids[i] = p.XAdd(ctx, b.item("*", epoch, fieldRecord, record))
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, err
	}
	positions := make([]Position, len(records))
	for i, id := range ids {
		at, err := positionOf(id.Val())
		if err == nil && at <= after {
			at, err = b.appendRecord(ctx, c, after, records[i])
		}
		if err != nil {
			return nil, err
		}
		positions[i] = at
	}
	return positions, nil
}

// xadd appends an item to the log behind a position: in a log that was emptied after the clock of Redis was
// set back, the next position is an earlier one, and an entry with that position would count as younger than the
// item. Then it is appended once more, with a position of its own.
func (b *base) xadd(ctx context.Context, c redis.Cmdable, after Position, epoch string, values ...any) (Position, error) {
	for next := "*"; ; {
		id, err := c.XAdd(ctx, b.item(next, epoch, values...)).Result()
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
func (b *base) item(id, epoch string, values ...any) *redis.XAddArgs {
	return &redis.XAddArgs{Stream: b.logKey(), MaxLen: b.options.LogLength, Approx: true, ID: id, Values: append(values, fieldEpoch, epoch)}
}

// reading is the clock of Redis at one moment.
type reading struct {
	local time.Time // of this process, after the answer
	redis time.Time
}

// Now returns the time that all instances share: the clock of the node that has the purge log.
// It is zero before the first look. Entries carry it, so that their age does not depend on the
// clocks of instances.
func (b *base) Now() time.Time {
	seen := b.clock.Load()
	if seen == nil {
		return time.Time{}
	}
	return seen.redis.Add(time.Since(seen.local) + b.options.Skew())
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

// alone looks in a slot of its own, which no request joins.
func (l *looks) alone(look func() error) error {
	l.one.Lock()
	defer l.one.Unlock()
	return look()
}
