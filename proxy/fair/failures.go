package fair

import "time"

// Failures limits how often each client may fail, for example at guessing a secret. Clients
// that come when it remembers as many as it may share one limit: addresses are cheap, and
// new ones must not make it forget others.
type Failures[C comparable] struct {
	limit   int
	within  time.Duration
	clients *Recent[C, record]
	others  record
}

type record struct {
	count int
	since time.Time
}

// NewFailures limits each client to so many failures, at least one, within a time that begins
// with its first failure. It remembers so many clients.
func NewFailures[C comparable](limit int, within time.Duration, clients int) *Failures[C] {
	return &Failures[C]{limit: limit, within: within, clients: NewRecent[C, record](clients)}
}

// Wait returns how long a client may not try again; 0 if it may.
func (f *Failures[C]) Wait(id C, now time.Time) time.Duration {
	known := f.clients.Get(id)
	if known == nil && f.full(now) {
		known = &f.others
	}
	if known == nil || known.count < f.limit {
		return 0
	}
	return max(0, f.within-now.Sub(known.since))
}

// Failed counts a failure.
func (f *Failures[C]) Failed(id C, now time.Time) {
	known := &f.others
	if f.clients.Get(id) != nil || !f.full(now) {
		known = f.clients.Make(id)
	}
	if now.Sub(known.since) >= f.within {
		*known = record{since: now}
	}
	known.count++
}

// full reports whether no client can be forgotten yet.
func (f *Failures[C]) full(now time.Time) bool {
	oldest := f.clients.Oldest()
	return oldest != nil && now.Sub(oldest.since) < f.within
}
