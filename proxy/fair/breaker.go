package fair

import "time"

// Breaker leaves a site alone that fails. It weighs failures by client: one whose own
// calls fail is kept away by itself, however many they are, and all are kept away only
// once several fail. Of one client no more than a fifth of [BreakerLimits.Calls] failures
// count, and at least two clients must fail. Where there is one client alone, such as a
// proxy that all come from, that is the breaker that it would be without this.
type Breaker[C comparable] struct {
	limits  BreakerLimits
	all     circuit
	clients *Recent[C, circuit]

	// Since all were last kept away:
	first   C    // who asked first, if any has
	asked   bool // one has
	more    bool // another one has too
	culprit C    // whose call failed first, if any did
	failed  bool // one did
}

// Call is one that was let through.
type Call[C comparable] struct {
	id       C
	all, own uint64 // eras
}

// NewBreaker makes a closed breaker that tells so many clients apart.
func NewBreaker[C comparable](l BreakerLimits, clients int) *Breaker[C] {
	return &Breaker[C]{limits: l, clients: NewRecent[C, circuit](clients)}
}

// Allow reports whether a client's call may be made. One that is made is ended.
func (b *Breaker[C]) Allow(id C, now time.Time) (Call[C], bool) {
	b.more = b.more || b.asked && id != b.first
	if !b.asked {
		b.first, b.asked = id, true
	}
	own := b.clients.Make(id)
	if !b.all.allows(now, b.limits) || !own.allows(now, b.limits) {
		return Call[C]{}, false
	}
	b.all.begin()
	own.begin()
	return Call[C]{id, b.all.era, own.era}, true
}

// Succeed ends a call that was answered well.
func (b *Breaker[C]) Succeed(c Call[C], now time.Time) {
	if c.all == b.all.era {
		b.all.succeed(now, b.limits)
	}
	if own := b.clients.Get(c.id); own != nil && c.own == own.era {
		own.succeed(now, b.limits)
	}
}

// Drop ends a call that says nothing of the site.
func (b *Breaker[C]) Drop(c Call[C]) {
	if c.all == b.all.era {
		b.all.undecided()
	}
	if own := b.clients.Get(c.id); own != nil && c.own == own.era {
		own.undecided()
	}
}

// Fail ends a call that failed.
func (b *Breaker[C]) Fail(c Call[C], now time.Time) {
	own := b.clients.Make(c.id)
	if c.own == own.era {
		own.calls.add(now, b.limits.Window, true)
		if own.phase == HalfOpen || b.tooMany(own.calls.counts(now, b.limits.Window)) {
			own.open(now.Add(b.limits.Open))
		}
	}
	if c.all != b.all.era {
		return
	}
	b.all.calls.add(now, b.limits.Window, true)
	switch {
	case b.all.phase == Closed && b.severalFail(now):
		b.Pause(now, b.limits.Open)
	case b.all.phase == HalfOpen && b.more && (!b.failed || b.culprit == c.id):
		// Others have asked, and decide.
		b.culprit, b.failed = c.id, true
		b.all.undecided()
		own.open(now.Add(b.limits.Open))
	case b.all.phase == HalfOpen:
		b.Pause(now, b.limits.Open)
	}
}

// Pause keeps all away for a time, unless they are for longer. A few calls go first
// after it.
func (b *Breaker[C]) Pause(now time.Time, d time.Duration) {
	if until := now.Add(d); b.all.look(now) != Open || until.After(b.all.until) {
		b.all.open(until)
		b.asked, b.more, b.failed = false, false, false
	}
}

// State is what becomes of a call of a client, and how long it stays so at least.
func (b *Breaker[C]) State(id C, now time.Time) (Phase, time.Duration) {
	state, left := b.all.state(now)
	if own := b.clients.Get(id); own != nil && state != Open {
		if ownState, ownLeft := own.state(now); ownState > state {
			return ownState, ownLeft
		}
	}
	return state, left
}

// Overall is what becomes of the calls of all clients that have made some lately, and
// how long it stays so at least: that of the one which fares best.
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
	most, counted, clients := max(1, b.limits.Calls/5), 0, 0
	for _, own := range b.clients.All {
		_, failed := own.calls.counts(now, b.limits.Window)
		if own.phase != Closed {
			failed = most // which it has forgotten
		}
		if failed > 0 {
			clients++
		}
		counted += min(failed, most)
	}
	return clients > 1 && b.tooMany(succeeded, counted)
}

// tooMany reports whether so many calls of a closed circuit have failed that it opens.
func (b *Breaker[C]) tooMany(succeeded, failed int) bool {
	ended := succeeded + failed
	return b.limits.Percent > 0 && ended >= b.limits.Calls && 100*failed >= b.limits.Percent*ended
}

// OfAll is what becomes of all calls, and how long it stays so at least.
func (b *Breaker[C]) OfAll(now time.Time) (Phase, time.Duration) { return b.all.state(now) }

// OpenClients returns for how many clients alone the breaker is open.
func (b *Breaker[C]) OpenClients(now time.Time) (n int) {
	for _, own := range b.clients.All {
		if own.look(now) == Open {
			n++
		}
	}
	return n
}
