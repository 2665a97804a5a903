package telemetry

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// LegacyClient is a client of the legacy's own namespace, and what it uses that for.
type LegacyClient struct {
	Family   string // one of a fixed list
	Prefix   string // the network of the address; see [Prefix]
	Resource string // of the table; NoEndpoint for none
	Method   string
}

// LegacyUse is a client with its requests.
type LegacyUse struct {
	LegacyClient

	Requests uint64
	Refused  uint64 // of these, since the namespace is off
	First    time.Time
	Last     time.Time
}

// legacyUses are the clients of the legacy's namespace that were seen last. The zero value is
// empty.
type legacyUses struct {
	mu      sync.Mutex
	clients map[LegacyClient]*LegacyUse
	dropped uint64 // clients
}

// maxLegacyUses bounds the clients of legacyUses.
const maxLegacyUses = 500

// add records a request.
func (s *legacyUses) add(c LegacyClient, refused bool, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.clients[c]
	if one == nil {
		if s.clients == nil {
			s.clients = map[LegacyClient]*LegacyUse{}
		}
		if len(s.clients) == maxLegacyUses {
			s.drop()
		}
		one = &LegacyUse{LegacyClient: c, First: at}
		s.clients[c] = one
	}
	one.Requests, one.Last = one.Requests+1, at
	if refused {
		one.Refused++
	}
}

// drop removes a quarter of the clients, those that were seen the longest ago, so that many
// new ones rarely cost a search.
func (s *legacyUses) drop() {
	all := s.sorted()
	for _, one := range all[len(all)*3/4:] {
		delete(s.clients, one.LegacyClient)
		s.dropped++
	}
}

func (s *legacyUses) sorted() []LegacyUse {
	all := make([]LegacyUse, 0, len(s.clients))
	for _, one := range s.clients {
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b LegacyUse) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Family, b.Family),
			cmp.Compare(a.Prefix, b.Prefix), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Method, b.Method))
	})
	return all
}

// recent returns the clients that were seen last, at most n of them, and how many more there
// were.
func (s *legacyUses) recent(n int) (recent []LegacyUse, more uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.sorted()
	n = min(n, len(all))
	return all[:n], s.dropped + uint64(len(all)-n)
}
