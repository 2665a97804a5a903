package proxy

import (
	"sync/atomic"
	"time"
)

// seldom bounds how often something is done that many calls give a reason for. It is
// safe for concurrent use.
type seldom struct {
	every time.Duration
	next  atomic.Int64 // Unix nanoseconds; 0 is at once
}

// due reports whether it is to be done now.
func (s *seldom) due(now time.Time) bool {
	next := s.next.Load()
	return now.UnixNano() >= next && s.next.CompareAndSwap(next, now.Add(s.every).UnixNano())
}
