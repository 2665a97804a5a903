package redisstore

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// LogState is when an instance last knew the purge log to its end, and whether it can
// read it.
//
// A write is answered once every instance that follows the log has applied its purge,
// and at the latest after the purge wait. So an instance that knew the end of the log at
// a moment within the purge wait knows the purge of every write that was answered.
type LogState struct {
	Wait time.Duration // the purge wait; set before use

	asOf atomic.Pointer[time.Time] // nil: not known yet
	lost atomic.Bool               // the log could not be read since

	mu     sync.Mutex
	change chan struct{} // closed by the next change; nil: nobody waits
}

// Current reports whether the end of the log is known at now. Both clocks must agree:
// the monotonic one may stand still while the machine is suspended, and the other one
// may be set back.
func (s *LogState) Current(now time.Time) bool {
	asOf := s.asOf.Load()
	return asOf != nil && s.within(now.Sub(*asOf)) && s.within(now.Round(0).Sub(asOf.Round(0)))
}

func (s *LogState) within(d time.Duration) bool { return 0 <= d && d <= s.Wait }

// CaughtUp records that the log was known to its end at asOf.
func (s *LogState) CaughtUp(asOf time.Time) {
	s.asOf.Store(&asOf)
	s.lost.Store(false)
	s.notify()
}

// Lose records that the log cannot be read, until the next CaughtUp.
func (s *LogState) Lose() {
	s.lost.Store(true)
	s.notify()
}

// Lost reports whether the log cannot be read.
func (s *LogState) Lost() bool { return s.lost.Load() }

func (s *LogState) notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.change != nil {
		close(s.change)
		s.change = nil
	}
}

// AsOf returns when the end of the log was last known; zero if it never was.
func (s *LogState) AsOf() time.Time {
	if asOf := s.asOf.Load(); asOf != nil {
		return *asOf
	}
	return time.Time{}
}

// Await waits until the end of the log is known, or is known to be out of reach, which up
// reports too. It reports whether it is known.
func (s *LogState) Await(ctx context.Context, now func() time.Time, up func() bool) bool {
	if s.Current(now()) {
		return true
	}
	over := time.NewTicker(s.Wait)
	defer over.Stop()
	for {
		changed := s.Changes()
		switch {
		case s.Current(now()):
			return true
		case s.Lost():
			return false
		}
		select {
		case <-changed:
		case <-over.C:
			if !up() {
				return false
			}
		case <-ctx.Done():
			return false
		}
	}
}

// Changes returns a channel that the next CaughtUp or Lose closes.
func (s *LogState) Changes() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.change == nil {
		s.change = make(chan struct{})
	}
	return s.change
}
