// Package redisstore keeps in Redis what the instances of calfacade share: entries as
// bytes, leases, the purge log and the quotas of clients. It knows neither what an entry
// holds nor what a record of the log says. It alone imports go-redis.
//
// Start reading at [Store.ReadLog]: it brings this process to the end of the log, and each
// request calls it before it is served. docs/architecture.md says why that is enough. The
// files use only files below them:
//
//	check.go   whether a Redis is set up as this package needs it
//	instances.go  who uses this Redis
//	quota.go   quotas of clients
//	group.go   reading the log once for all instances, to pass it on
//	decide.go  decisions of all instances, which the log announces, and numbers that they add up
//	claim.go   records of requests that one instance alone may send, however often clients repeat them
//	find.go    entries and leases: one instance fetches, the others wait
//	store.go   [Store]: a log read that all waiting requests share, its budget, and [Store.Append]
//	tail.go    reading the log to its end, and the proof that nothing was missed
//	log_conn.go  the connection of log reads
//	stream.go  the log in Redis at one moment, and appending to it
//	base.go    one call and its timeout, the shared clock, keys
//	url.go     which Redis
//	log.go     items of the log, positions, and who follows it
//	health.go  when Redis counts as down, how long it takes to answer, and [Stats]
//
// Nothing waits for a Redis that is known to be down, but log reads: for a few milliseconds each.
package redisstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/semaphore"
)

// Store keeps what all instances share: entries, leases, the purge log and quotas. It is safe for
// concurrent use.
type Store struct {
	*base
	logReads   logReads
	tail       *tail                     // of the log read in progress
	last       atomic.Pointer[time.Time] // when the last log read that succeeded began; nil: no log read has
	recovering sync.WaitGroup
}

// The defaults of [Options.Prefix] and [Options.Timeout], which the configuration has too.
const (
	DefaultPrefix  = "calfacade"
	DefaultTimeout = 250 * time.Millisecond
)

// Open checks the options. It does not connect, so a Redis that is down is no error.
// Errors never contain a password.
func Open(o Options) (*Store, error) {
	o.Prefix = cmp.Or(o.Prefix, DefaultPrefix)
	o.LogLength = cmp.Or(o.LogLength, 10_000)
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.Brief = cmp.Or(o.Brief, 25*time.Millisecond)
	if o.Changed == nil {
		o.Changed = func(error) {}
	}
	if o.Decided == nil {
		o.Decided = func(context.Context, SharedState) {}
	}
	if o.Skew == nil {
		o.Skew = func() time.Duration { return 0 }
	}
	dial, pool, err := parseURLs(o.URLs, o)
	if err != nil {
		return nil, err
	}
	silence()
	b := &base{
		options: o,
		id:      rand.Text(),
		logKey:  o.Prefix + ":log",
		dial:    dial,
		health:  health{changed: o.Changed},
		lookups: semaphore.NewWeighted(int64(pool+1) / 2),
		stores:  semaphore.NewWeighted(int64(pool+3) / 4),
	}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	c := dial(nil)
	b.client.Store(&c)
	b.epoch.Store(new(string))
	return &Store{base: b, tail: newTail(b)}, nil
}

// Follow sets the follower of the log, before the first log read.
func (r *Store) Follow(f Follower) { r.tail.follower = f }

// Close closes the connections and stops everything in the background. Calls in progress fail
// as if Redis were down.
func (r *Store) Close() error {
	r.cancel()
	r.recovering.Wait()
	r.tail.busy <- struct{}{} // a log read in progress has failed
	r.tail.conns.drop()
	<-r.tail.busy
	if err := (*r.client.Load()).Close(); !errors.Is(err, redis.ErrClosed) {
		return err
	}
	return nil
}

// ReadLog brings the follower to the end of the log as it was at a moment after the call, or with
// [Options.ReadLogEvery] within that time before it. After an error the end is not known, or records are missing in it:
// see [settle].
//
// It is not cancelled by a request: others wait for the same one. It takes as long as the log read
// in progress and one more at most, each with [Options.Timeout], and with [Options.Brief] once
// Redis is known to be down. The log is read then all the same: an instance that notices later
// than others that Redis is back would serve what they have purged.
func (r *Store) ReadLog() error {
	last := r.last.Load()
	if r.options.ReadLogEvery > 0 && last != nil && since(*last) < r.options.ReadLogEvery {
		return nil
	}
	return r.logReads.join(func() error { return r.readLogWithin(r.limit(r.options.Timeout)) })
}

// limit returns the time that a call may take: long, unless Redis is known to be down. Then a request does not wait
// for a connection, and once there is one, as long as this Redis takes to answer.
func (r *Store) limit(long time.Duration) time.Duration {
	switch {
	case r.Up(), r.health.patient():
		return long
	case r.tail.conns.ready():
		return r.brief()
	}
	return r.options.Brief
}

// readLogWithin reads the log, again if the connection broke.
func (r *Store) readLogWithin(limit time.Duration) (err error) {
	r.n.add(&r.n.LogReads, 1)
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

// failed counts the failure of a log read or of a purge. It ignores one of a process that gets too
// little of the processor, whose timers are late: that is no sign of a Redis that is down. A Redis that
// is down would no longer be tried for long, and its entries would not be served.
func (r *Store) failed(began time.Time, limit time.Duration, err error) {
	r.n.failed(err)
	starved := timedOut(err) && time.Since(began) > limit+limit/4+10*time.Millisecond
	if r.ctx.Err() == nil && !starved && r.health.failed(began, err) {
		r.n.add(&r.n.Trips, 1)
		r.recovering.Go(r.recover)
	}
}

// recover reads the log until Redis works again, in log reads of its own and with the whole time of a log read, or of
// some round trips: log reads of requests may be too short for a Redis that is far away. It does so once Redis has
// answered, so that no request waits for a Redis that is away. The client in use remembers the failure: go-redis refuses
// to dial for up to a second after failures, and keeps the address of a master that is gone and the old slots of a cluster.
func (r *Store) recover() {
	for r.ctx.Err() == nil && !r.Up() {
		next := time.After(probeEvery)
		if !r.health.returning() {
			r.renew(r.client.Load())
		}
		if r.tail.conns.current().connected(r.ctx) == nil {
			_ = r.logReads.alone(func() error { return r.readLogWithin(r.attempt()) })
		}
		select {
		case <-next:
		case <-r.ctx.Done():
		}
	}
}

// Append appends a record to the log and returns its position. It tries for a second: what
// another instance serves meanwhile is no older than the write, which is not answered yet. After
// an error it may have been appended all the same; appending it again does no harm.
func (r *Store) Append(ctx context.Context, record []byte) (appended Position, err error) {
	began := time.Now()
	limit := r.limit(grace)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for wait := time.Duration(0); ; wait = min(2*wait+time.Millisecond, 50*time.Millisecond) {
		c := r.client.Load()
		once, cancel := context.WithTimeout(limited, r.attempt())
		appended, err = r.appendRecord(once, *c, r.tail.follower.Position(), record)
		cancel()
		if err == nil {
			r.health.worked()
			return appended, nil
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

// logReads lets requests share reads the log. A log read that has begun before a request arrived
// may miss what was appended in between, so a request waits for the next one, which the first of the
// waiting requests makes. There is at most one log read at a time.
type logReads struct {
	reading sync.Mutex // held during a log read

	mu   sync.Mutex
	next *round // that requests can join; nil: no round waits
}

// round is a log read and the requests that wait for it.
type round struct {
	done chan struct{} // closed at its end
	err  error         // set before
}

// join returns after a log read that began after the call.
func (l *logReads) join(read func() error) error {
	l.mu.Lock()
	r := l.next
	if r != nil {
		l.mu.Unlock()
		<-r.done
		return r.err
	}
	r = &round{done: make(chan struct{}), err: errPanicked}
	l.next = r
	l.mu.Unlock()
	l.reading.Lock()
	defer l.reading.Unlock()
	l.mu.Lock()
	l.next = nil // who comes from here on waits for the next log read
	l.mu.Unlock()
	defer close(r.done)
	r.err = read()
	return r.err
}

// alone log reads in a slot of its own, which no request joins.
func (l *logReads) alone(read func() error) error {
	l.reading.Lock()
	defer l.reading.Unlock()
	return read()
}
