package fair

import "time"

// Failures bounds how often each client may fail, such as in guessing a secret. Those
// that come when as many are remembered as may be count as one: addresses are cheap, and
// must not be what makes it forget.
type Failures[C comparable] struct {
	most    int
	within  time.Duration
	clients *Recent[C, failed]
	others  failed
}

type failed struct {
	count int
	since time.Time
}

// NewFailures lets each client fail so often, at least once, within a time that begins
// with its first failure. It remembers so many clients.
func NewFailures[C comparable](most int, within time.Duration, clients int) *Failures[C] {
	return &Failures[C]{most: most, within: within, clients: NewRecent[C, failed](clients)}
}

// Wait is for how long a client may not try again; 0 if it may.
func (f *Failures[C]) Wait(id C, now time.Time) time.Duration {
	known := f.clients.Get(id)
	if known == nil && f.full(now) {
		known = &f.others
	}
	if known == nil || known.count < f.most {
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
		*known = failed{since: now}
	}
	known.count++
}

// full reports whether nobody can be forgotten yet.
func (f *Failures[C]) full(now time.Time) bool {
	oldest := f.clients.Oldest()
	return oldest != nil && now.Sub(oldest.since) < f.within
}
