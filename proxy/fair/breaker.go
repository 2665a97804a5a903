package fair

import "time"

// Breaker is a circuit breaker that weighs failures by client. It opens for a client whose
// own calls fail, and for all clients only if calls of at least two fail, where one client
// counts for at most a fifth of [BreakerLimits.Calls] failures. If there is only one client,
// such as a proxy in front, it works like a plain circuit breaker.
type Breaker[C comparable] struct {
	limits  BreakerLimits
	all     circuit
	clients *Recent[C, circuit]

	// Since the breaker was last open for all:
	first   C    // the first client, if seen
	seen    bool // a client has called
	several bool // another one has too
	culprit C    // the client of the first failure, if failed
	failed  bool // a call has failed
}

// Call is a call that was allowed.
type Call[C comparable] struct {
	id       C
	all, own uint64 // epochs of both circuits
}

// NewBreaker makes a closed breaker that remembers so many clients.
func NewBreaker[C comparable](l BreakerLimits, clients int) *Breaker[C] {
	return &Breaker[C]{limits: l, clients: NewRecent[C, circuit](clients)}
}

// Allow reports whether a client's call may be made. Each allowed call must be ended with
// Succeed, Fail or Drop.
func (b *Breaker[C]) Allow(id C, now time.Time) (Call[C], bool) {
	b.several = b.several || b.seen && id != b.first
	if !b.seen {
		b.first, b.seen = id, true
	}
	own := b.clients.Make(id)
	if !b.all.allows(now, b.limits) || !own.allows(now, b.limits) {
		return Call[C]{}, false
	}
	b.all.begin()
	own.begin()
	return Call[C]{id, b.all.epoch, own.epoch}, true
}

// Succeed ends a call that succeeded.
func (b *Breaker[C]) Succeed(c Call[C], now time.Time) {
	if c.all == b.all.epoch {
		b.all.succeed(now, b.limits)
	}
	if own := b.clients.Get(c.id); own != nil && c.own == own.epoch {
		own.succeed(now, b.limits)
	}
}

// Drop ends a call whose outcome proves nothing about the site.
func (b *Breaker[C]) Drop(c Call[C]) {
	if c.all == b.all.epoch {
		b.all.withdraw()
	}
	if own := b.clients.Get(c.id); own != nil && c.own == own.epoch {
		own.withdraw()
	}
}

// Fail ends a call that failed.
func (b *Breaker[C]) Fail(c Call[C], now time.Time) {
	own := b.clients.Make(c.id)
	if c.own == own.epoch {
		own.calls.add(now, b.limits.Window, true)
		if own.phase == HalfOpen || b.tooMany(own.calls.counts(now, b.limits.Window)) {
			own.open(now.Add(b.limits.Open))
		}
	}
	if c.all != b.all.epoch {
		return
	}
	b.all.calls.add(now, b.limits.Window, true)
	switch {
	case b.all.phase == Closed && b.severalFail(now):
		b.Pause(now, b.limits.Open)
	case b.all.phase == HalfOpen && b.several && (!b.failed || b.culprit == c.id):
		// Other clients have called: they decide.
		b.culprit, b.failed = c.id, true
		b.all.withdraw()
		own.open(now.Add(b.limits.Open))
	case b.all.phase == HalfOpen:
		b.Pause(now, b.limits.Open)
	}
}

// Pause opens the breaker for all clients for d, unless it is open for longer. Afterwards it
// is half-open.
func (b *Breaker[C]) Pause(now time.Time, d time.Duration) {
	if until := now.Add(d); b.all.current(now) != Open || until.After(b.all.until) {
		b.all.open(until)
		b.seen, b.several, b.failed = false, false, false
	}
}

// State returns the phase for a client, and how long it lasts at least.
func (b *Breaker[C]) State(id C, now time.Time) (Phase, time.Duration) {
	state, left := b.all.state(now)
	if own := b.clients.Get(id); own != nil && state != Open {
		if ownState, ownLeft := own.state(now); ownState > state {
			return ownState, ownLeft
		}
	}
	return state, left
}

// Overall returns the best phase of the clients that have called recently, and how long it
// lasts at least.
func (b *Breaker[C]) Overall(now time.Time) (Phase, time.Duration) {
	best, left := b.all.state(now)
	if best != Closed {
		return best, left
	}
	found := false
	for _, own := range b.clients.All {
		succeeded, failed := own.calls.counts(now, b.limits.Window)
		state, ownLeft := own.state(now)
		if state == Closed && succeeded+failed == 0 {
			continue
		}
		if !found || state < best || state == best && ownLeft < left {
			best, left, found = state, ownLeft, true
		}
	}
	return best, left
}

// severalFail reports whether the failures of several clients are too many.
func (b *Breaker[C]) severalFail(now time.Time) bool {
	succeeded, failed := b.all.calls.counts(now, b.limits.Window)
	if !b.tooMany(succeeded, failed) {
		return false
	}
	limit, counted, clients := max(1, b.limits.Calls/5), 0, 0
	for _, own := range b.clients.All {
		_, failed := own.calls.counts(now, b.limits.Window)
		if own.phase != Closed {
			failed = limit // its window was reset when it opened
		}
		if failed > 0 {
			clients++
		}
		counted += min(failed, limit)
	}
	return clients > 1 && b.tooMany(succeeded, counted)
}

// tooMany reports whether so many calls have failed that a closed circuit opens.
func (b *Breaker[C]) tooMany(succeeded, failed int) bool {
	ended := succeeded + failed
	return b.limits.Percent > 0 && ended >= b.limits.Calls && 100*failed >= b.limits.Percent*ended
}

// Shared returns the phase that all clients share, and how long it lasts at least.
func (b *Breaker[C]) Shared(now time.Time) (Phase, time.Duration) { return b.all.state(now) }

// OpenClients returns the number of clients for which the breaker is open.
func (b *Breaker[C]) OpenClients(now time.Time) (n int) {
	for _, own := range b.clients.All {
		if own.current(now) == Open {
			n++
		}
	}
	return n
}
