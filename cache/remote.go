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
	redis    Shared // nil without Redis
	cache    *Cache
	state    redisstore.LogState
	checking time.Time // by the clock of the cache; of Follow's goroutine

	mu      sync.Mutex
	caught  bool     // the log is known to its end
	pending []record // made here, not yet in the log
	resets  int      // how often pending overflowed

	caughtAt atomic.Int64 // when the log was last known to its end, in Unix nanoseconds; 0 before the first time
}

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
