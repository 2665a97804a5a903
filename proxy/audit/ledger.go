package audit

import (
	"slices"
	"sync"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// Ledger has the results of audits. It outlives the facade that is audited, is safe for concurrent use,
// and its memory is bounded. The zero value is empty.
type Ledger struct {
	mu       sync.Mutex
	audited  uint64
	stale    uint64
	skipped  map[Skip]uint64
	causes   map[Cause]uint64
	hours    hours
	findings []*Finding // the last, oldest first
	oldest   time.Time  // of the stale entries that are still served, when the oldest was fetched; zero: none
	purges   purges
}

// Finding is an entry that is stale.
type Finding struct {
	Found    time.Time `json:"found"`
	Fetched  time.Time `json:"fetched"` // the entry
	Cause    Cause     `json:"cause"`   // "" until it is decided
	Backend  string    `json:"backend"`
	Endpoint string    `json:"endpoint"`
	Language string    `json:"language"`
	Call     string    `json:"call"`            // path and query, secrets masked
	Tags     []string  `json:"tags"`            // of what differs, the first few
	Paths    []string  `json:"paths"`           // of the differences, the first few
	Redis    bool      `json:"redis,omitempty"` // the entry came from Redis
	Samples  uint64    `json:"samples"`         // that were served from the entry
}

// Limits of what is stored of findings.
const (
	maxRecent = 50 // findings
	maxShown  = 10 // tags and paths of each
)

// Skip is why a sample has no result.
type Skip string

// The reasons.
const (
	Changed Skip = "changed" // the entry was purged, replaced, evicted or put in doubt meanwhile, or expired
	Clock   Skip = "clock"   // the response depends on the day, and midnight is near
	Full    Skip = "full"    // too many findings are open
	Unread  Skip = "unread"  // the site had no slot for the call, or failed
)

// Skips are all reasons, sorted.
var Skips = []Skip{Changed, Clock, Full, Unread}

// Stats are the results since the process started.
type Stats struct {
	Audited  uint64
	Stale    uint64
	Skipped  map[Skip]uint64
	Causes   map[Cause]uint64 // of the stale answers whose cause is decided
	Day      Estimate         // of the last 24 hours
	Oldest   time.Duration    // age of the oldest stale entry that is still served; 0: there is none
	Findings []Finding        // the last, newest first
}

// Undecided returns the number of stale answers whose cause is not decided.
func (s Stats) Undecided() uint64 {
	n := s.Stale
	for _, decided := range s.Causes {
		n -= decided
	}
	return n
}

// Stats returns the results.
func (l *Ledger) Stats(now time.Time) Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Stats{Audited: l.audited, Stale: l.stale, Skipped: map[Skip]uint64{}, Causes: map[Cause]uint64{}, Day: l.hours.estimate(now)}
	for _, why := range Skips {
		s.Skipped[why] = l.skipped[why]
	}
	for _, c := range Causes {
		s.Causes[c] = l.causes[c]
	}
	if !l.oldest.IsZero() {
		s.Oldest = max(0, now.Sub(l.oldest))
	}
	for _, f := range slices.Backward(l.findings) {
		s.Findings = append(s.Findings, *f)
	}
	return s
}

// Purged records a purge. It is for [cache.Options.Purged]. A nil ledger ignores it.
func (l *Ledger) Purged(p cache.Applied) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.purges.add(p)
}

// count counts samples that were audited.
func (l *Ledger) count(now time.Time, audited, stale uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.audited += audited
	l.stale += stale
	l.hours.add(now, audited, stale)
}

func (l *Ledger) skip(why Skip, samples uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.skipped == nil {
		l.skipped = map[Skip]uint64{}
	}
	l.skipped[why] += samples
}

// add adds a finding to those that are shown.
func (l *Ledger) add(f *Finding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.findings) == maxRecent {
		l.findings = slices.Delete(l.findings, 0, 1)
	}
	l.findings = append(l.findings, f)
}

// sampled counts another stale answer of a finding.
func (l *Ledger) sampled(f *Finding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f.Samples++
	if f.Cause != "" {
		l.causes[f.Cause]++
	}
}

// decide sets the cause of a finding, and returns it as it is then.
func (l *Ledger) decide(f *Finding, c Cause) Finding {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.causes == nil {
		l.causes = map[Cause]uint64{}
	}
	f.Cause = c
	l.causes[c] += f.Samples
	return *f
}

func (l *Ledger) setOldest(fetched time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.oldest = fetched
}

// sentPurges reports whether the site has sent a purge since a moment.
func (l *Ledger) sentPurges(since time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.purges.outside.After(since)
}

// wrote reports whether a write through a facade has purged one of the tags since a moment.
func (l *Ledger) wrote(tags []string, since time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.purges.wrote(tags, since)
}
