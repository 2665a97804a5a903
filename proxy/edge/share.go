package edge

import (
	"net/netip"
	"sync"
)

// shares bounds a quantity that all clients hold together, such as bytes. A client holds at most a quarter of the free
// part: a fifth of the limit for a client alone, and less the more clients hold something. So one client
// does not keep others out, and of several each leaves four fifths of the rest. A client without holdings may take
// any amount that fits.
type shares struct {
	limit int64 // 0 disables the limit

	mu   sync.Mutex
	used int64
	held map[netip.Addr]int64 // more than 0
}

// take adds n to the holdings of a client, and reports whether there was room. take leaves a reserved part of the
// limit free. The zero address is the program itself, and bound by the limit alone.
func (s *shares) take(client netip.Addr, n, reserved int64) bool {
	if s.limit == 0 || n == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	free := s.limit - reserved - s.used
	held := s.held[client]
	if n > free || client.IsValid() && held > 0 && held+n > free/4 {
		return false
	}
	s.add(client, n)
	return true
}

// release returns n that a client holds.
func (s *shares) release(client netip.Addr, n int64) {
	if s.limit == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(client, -n)
}

func (s *shares) add(client netip.Addr, n int64) {
	if s.held == nil {
		s.held = map[netip.Addr]int64{}
	}
	s.used += n
	s.held[client] += n
	if s.held[client] == 0 {
		delete(s.held, client)
	}
}
