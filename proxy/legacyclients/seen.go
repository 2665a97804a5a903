package legacyclients

import (
	"cmp"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Client is who still uses the legacy's namespace, and what for.
type Client struct {
	Family   string
	Prefix   string // the network of the address; see [Prefix]
	Resource string // "" for none
	Method   string
}

// Sighting is a client with its requests.
type Sighting struct {
	Client

	Requests uint64
	Refused  uint64 // of these, since the namespace is off
	First    time.Time
	Last     time.Time
}

// Seen has the clients that were seen since the start of the process, the latest of them. The
// zero value is empty.
type Seen struct {
	mu      sync.Mutex
	clients map[Client]*Sighting
	dropped uint64 // clients
}

// maxSeen bounds the clients of Seen.
const maxSeen = 500

// Add records a request.
func (s *Seen) Add(c Client, refused bool, at time.Time) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.clients[c]
	if one == nil {
		if s.clients == nil {
			s.clients = map[Client]*Sighting{}
		}
		if len(s.clients) == maxSeen {
			s.drop()
		}
		one = &Sighting{Client: c, First: at}
		s.clients[c] = one
	}
	one.Requests, one.Last = one.Requests+1, at
	if refused {
		one.Refused++
	}
}

// drop removes a quarter of the clients, those that were seen the longest ago, so that many
// new ones rarely cost a search.
func (s *Seen) drop() {
	all := s.sorted()
	for _, one := range all[len(all)*3/4:] {
		delete(s.clients, one.Client)
		s.dropped++
	}
}

func (s *Seen) sorted() []Sighting {
	all := make([]Sighting, 0, len(s.clients))
	for _, one := range s.clients {
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b Sighting) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Family, b.Family),
			cmp.Compare(a.Prefix, b.Prefix), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Method, b.Method))
	})
	return all
}

// Recent returns the clients that were seen last, at most n of them, and how many more there
// were.
func (s *Seen) Recent(n int) (recent []Sighting, more uint64) {
	if s == nil {
		return nil, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.sorted()
	n = min(n, len(all))
	return all[:n], s.dropped + uint64(len(all)-n)
}

// Prefix returns the network of an address, which is no single person's: /24 of IPv4, /48 of
// IPv6; "" for none.
func Prefix(address netip.Addr) string {
	address = address.Unmap()
	bits := 48
	if address.Is4() {
		bits = 24
	}
	prefix, err := address.Prefix(bits)
	if err != nil {
		return ""
	}
	return prefix.String()
}
