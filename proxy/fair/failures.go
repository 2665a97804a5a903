package fair

import "time"

// Failures bounds how often each client may fail, such as in guessing a secret.
type Failures[C comparable] struct {
	most    int
	within  time.Duration
	clients *Recent[C, failed]
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
	if known == nil || known.count < f.most {
		return 0
	}
	return max(0, f.within-now.Sub(known.since))
}

// Failed counts a failure.
func (f *Failures[C]) Failed(id C, now time.Time) {
	known := f.clients.Make(id)
	if now.Sub(known.since) >= f.within {
		*known = failed{since: now}
	}
	known.count++
}
