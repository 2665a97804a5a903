package scale

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
)

// holding is a lease that is held.
type holding struct {
	by      *lease
	purged  redisstore.Position // newest purge that the holder knew
	expires time.Time
}

// lease implements [cache.Lease].
type lease struct {
	*link
	key  string
	life time.Duration

	renewing sync.Mutex
	renewals *time.Timer
	released bool
}

var errNoLeases = errors.New("there are no leases")

// Acquire implements [cache.Shared].
func (l *link) Acquire(_ context.Context, key string, purged redisstore.Position, life time.Duration) (got cache.Lease, held bool, err error) {
	if l.setup.NoLeases {
		return nil, false, errNoLeases
	}
	l.call(&l.n.Leases, 1, func() {
		if h := l.leases[key]; time.Now().Before(h.expires) && h.purged >= purged {
			return
		}
		mine := &lease{link: l, key: key, life: life}
		l.leases[key] = holding{mine, purged, time.Now().Add(life)}
		got, held = mine, true
	})
	return got, held, nil
}

// Keep implements [cache.Lease].
func (h *lease) Keep() {
	h.renewing.Lock()
	defer h.renewing.Unlock()
	h.renewals = time.AfterFunc(h.life/3, h.renew)
}

func (h *lease) renew() {
	h.call(&h.n.Leases, 1, func() {
		if now, held := h.leases[h.key]; held && now.by == h {
			now.expires = time.Now().Add(h.life)
			h.leases[h.key] = now
		}
	})
	h.renewing.Lock()
	defer h.renewing.Unlock()
	if !h.released {
		h.renewals.Reset(h.life / 3)
	}
}

// Release implements [cache.Lease]. The site never fails, so that there is no failure.
func (h *lease) Release(context.Context, string) {
	h.renewing.Lock()
	h.released = true
	if h.renewals != nil {
		h.renewals.Stop()
	}
	h.renewing.Unlock()
	h.call(&h.n.Leases, 1, func() {
		if now, held := h.leases[h.key]; held && now.by == h {
			delete(h.leases, h.key)
		}
	})
}

// The pause between two polls of a lease is an eighth of the time waited, within these
// bounds, as in cache/redisstore/lease.go.
const (
	minPoll = 5 * time.Millisecond
	maxPoll = 100 * time.Millisecond
)

// Wait implements [cache.Shared].
func (l *link) Wait(_ context.Context, key string) (failure string, err error) {
	holder := l.holder(key)
	if holder == nil {
		return "", nil
	}
	for began, now := time.Now(), holder; now == holder; now = l.holder(key) {
		time.Sleep(min(max(minPoll, time.Since(began)/8), maxPoll))
	}
	l.call(&l.n.Polls, 1, func() {}) // the failure of the holder
	return "", nil
}

func (l *link) holder(key string) (by *lease) {
	l.call(&l.n.Polls, 1, func() {
		if h := l.leases[key]; time.Now().Before(h.expires) {
			by = h.by
		}
	})
	return by
}
