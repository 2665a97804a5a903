package scale

import (
	"slices"
	"sync"
	"time"
)

// staleness is how outdated the answers to clients were.
type staleness struct {
	from time.Time // when counting begins

	mu      sync.Mutex
	answers int
	behind  []time.Duration // of the answers that were outdated when the client asked
}

func (s *staleness) add(asked time.Time, behind time.Duration) {
	if asked.Before(s.from) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers++
	if behind > 0 {
		s.behind = append(s.behind, behind)
	}
}

// Staleness is how outdated the answers to clients were.
type Staleness struct {
	PerMillion    float64       // outdated answers in a million
	P50, P99, Max time.Duration // since the edit, of the outdated answers
}

func (s *staleness) result() Staleness {
	if len(s.behind) == 0 {
		return Staleness{}
	}
	slices.Sort(s.behind)
	at := func(share float64) time.Duration { return s.behind[int(share*float64(len(s.behind)-1))] }
	return Staleness{1e6 * float64(len(s.behind)) / float64(s.answers), at(0.5), at(0.99), at(1)}
}
