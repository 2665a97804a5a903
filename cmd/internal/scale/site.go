package scale

import (
	"sync"
	"time"
)

// site is the model of the site: it answers each call after some time, with what was true
// halfway.
type site struct {
	setup Setup
	dice  dice

	mu    sync.Mutex
	items map[int][]time.Time // when each item was edited
	lists []time.Time         // when any item was edited
	calls calls
}

// version is how many edits an answer shows.
type version uint64

func newSite(s Setup) *site { return &site{setup: s, dice: dice(s.Seed), items: map[int][]time.Time{}} }

// fetch is a call for a page.
func (s *site) fetch(p *page) version {
	took := s.took(uint64(p.id))
	s.mu.Lock()
	s.calls.add(time.Now())
	s.mu.Unlock()
	time.Sleep(took / 2)
	s.mu.Lock()
	v := version(len(s.edits(p)))
	s.mu.Unlock()
	time.Sleep(took - took/2)
	return v
}

// measure forgets the busiest second so far.
func (s *site) measure() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls.most = 0
}

// edit changes an item.
func (s *site) edit(item int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.items[item] = append(s.items[item], now)
	s.lists = append(s.lists, now)
}

func (s *site) took(what uint64) time.Duration {
	return s.dice.within(s.setup.Site, forSite, what, uint64(time.Now().UnixNano()))
}

func (s *site) edits(p *page) []time.Time {
	if p.item < 0 {
		return s.lists
	}
	return s.items[p.item]
}

// behind returns for how long an answer of version v had been outdated when a client asked
// for it; 0 if it was not.
func (s *site) behind(p *page, v version, asked time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	edits := s.edits(p)
	if int(v) >= len(edits) {
		return 0
	}
	return max(0, asked.Sub(edits[v]))
}

// calls counts calls, and those of the busiest second.
type calls struct {
	all, second, most int64
	at                int64 // the second, in Unix time
}

func (c *calls) add(now time.Time) {
	if c.all++; c.at != now.Unix() {
		c.at, c.second = now.Unix(), 0
	}
	c.second++
	c.most = max(c.most, c.second)
}
