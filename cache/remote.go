package cache

import (
	"context"
	"github.com/calfacade/calfacade/cache/redisstore"
	"sync"
	"sync/atomic"
	"time"
)

// remote is the tier that all instances share, and this instance's end of the purge log.
// Without Redis every lookup is a miss.
//
// It serves only while this instance knows the whole log and the log has all purges of this
// instance: otherwise an entry in Redis may predate a purge that one of the two lacks.
type remote struct {
	redis    *redisstore.Store
	cache    *Cache
	state    redisstore.LogState
	checking time.Time // by the clock of the cache; of Follow's goroutine

	mu      sync.Mutex
	caught  bool     // the log is known to its end
	pending []record // made here, not yet in the log
	resets  int      // how often pending overflowed

	caughtAt atomic.Int64 // when the log was last known to its end, in Unix nanoseconds; 0 before the first time
}

// maxPending bounds the purges that wait for Redis; beyond it everything is purged when Redis
// is back.
const maxPending = 10_000

func (r *remote) ready() bool {
	if r.redis == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.caught && len(r.pending) == 0
}

// get returns the entry of key with its age, or nil.
func (r *remote) get(ctx context.Context, key string) *Entry {
	if !r.ready() {
		return nil
	}
	ctx, end := r.cache.observe(ctx, CallGet)
	data, ok := r.redis.Get(ctx, key)
	end(nil)
	if !ok {
		return nil
	}
	e, made, err := Decode(key, data)
	if err != nil {
		r.cache.stats.foreign.Add(1)
		return nil
	}
	e.Created = r.cache.options.Clock().Add(-max(0, r.redis.Now().Sub(made)))
	return e
}

func (r *remote) put(ctx context.Context, key string, e *Entry) {
	if data, left := r.form(key, e); left > 0 {
		ctx, end := r.cache.observe(ctx, CallPut)
		r.redis.Put(ctx, key, data, left)
		end(nil)
	}
}

// form encodes e and returns how long it is to be stored; 0 is not at all.
func (r *remote) form(key string, e *Entry) (data []byte, left time.Duration) {
	if r.redis == nil || e.Life.Negative {
		return nil, 0
	}
	at, age := r.redis.Now(), e.age(r.cache.options.Clock())
	left = e.Life.total() - age
	if at.IsZero() || left <= 0 {
		return nil, 0
	}
	return Encode(key, e, at.Add(-age)), left
}

// purge appends to the log, and returns once every instance has applied the record or none
// serves without it. A record that cannot be appended is applied here, and pending.
func (r *remote) purge(ctx context.Context, p record) {
	ctx, end := r.cache.observe(ctx, CallAppend)
	at, applied, err := r.redis.AppendAwaited(ctx, p.encode())
	end(err)
	if err == nil {
		r.cache.apply(at, p)
		r.cache.recent.add(at, p.Purge, true, at.Time())
		ctx, end := r.cache.observe(ctx, CallConfirm)
		applied(ctx)
		end(nil)
		return
	}
	r.cache.recent.add(0, p.Purge, true, r.cache.options.Clock())
	r.wait(p)
}

// Apply implements Follower.
func (r *remote) Apply(at redisstore.Position, record []byte) {
	p := decodeRecord(record)
	r.cache.apply(at, p)
	if !p.note {
		r.cache.recent.add(at, p.Purge, false, at.Time())
	}
}

// Distrust implements Follower.
func (r *remote) Distrust(at redisstore.Position) { r.cache.log.Distrust(at) }

// Checking implements Follower.
func (r *remote) Checking() { r.checking = r.cache.options.Clock() }

// Lost implements Follower.
func (r *remote) Lost() {
	defer r.state.Lose()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.caught = false
}

// flushed is the largest number of pending purges that are appended between two checks: few
// enough that the checks are not late.
const flushed = 100

// Caught implements Follower. Pending purges are appended before anything from Redis is
// served.
func (r *remote) Caught(at redisstore.Position) {
	r.cache.log.reach(at)
	r.state.CaughtUp(r.checking)
	for range flushed {
		p, resets, ok := r.first()
		if !ok {
			break
		}
		at, err := r.redis.Append(r.cache.ctx, p.encode())
		if err != nil {
			return // until the next time
		}
		r.cache.apply(at, p)
		r.cache.recent.add(at, p.Purge, true, at.Time())
		r.sent(resets)
	}
	r.mu.Lock()
	r.caught = true
	r.mu.Unlock()
	r.caughtAt.Store(time.Now().UnixNano())
}

// wait applies a purge, and adds it to those that are pending.
func (r *remote) wait(p record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cache.next(p)
	if len(r.pending) >= maxPending {
		r.pending, r.resets = []record{{Purge: Purge{All: true}}}, r.resets+1
		return
	}
	r.pending = append(r.pending, p)
}

// first returns the oldest pending purge.
func (r *remote) first() (p record, resets int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.pending) == 0 {
		return record{}, 0, false
	}
	return r.pending[0], r.resets, true
}

// sent removes it, unless pending has overflowed since.
func (r *remote) sent(resets int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.resets == resets {
		r.pending = r.pending[1:]
	}
}
