package cache

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Purge purges the entries that show any of the tags: for every request at any instance that
// begins after it returns. shared is false if Redis did not take the purge within a second: then the
// other instances do not know it until Redis works again. A cache with another [Options.TagSpace]
// purges everything.
func (c *Cache) Purge(ctx context.Context, p Purge) (shared bool) {
	return c.purge(ctx, c.record(p))
}

func (c *Cache) purge(ctx context.Context, r record) (shared bool) {
	c.stats.purges.Add(1)
	at := redisstore.Position(0)
	if c.options.Shared != nil {
		var err error
		if at, err = c.options.Shared.Append(ctx, r.encode()); err != nil {
			c.options.Pending.add(r) // first: from here on nothing of Redis is served, which may be later than r
		}
	}
	c.apply(at, r, true)
	return c.options.Shared == nil || at != 0
}

// apply applies a record: at its position in the shared log, possibly again, or at 0 after all that is
// known. here says that this process has made it.
func (c *Cache) apply(at redisstore.Position, r record, here bool) {
	now := c.options.Clock()
	c.watch(r)
	c.log.apply(at, r, now.Add(-c.ageOf(at)))
	if r.Note {
		return
	}
	if at != 0 {
		now = at.Time()
	}
	if c.options.Purged != nil {
		c.options.Purged(Purged{r.Purge, cmp.Or(r.ID, fmt.Sprint(at)), at, here, now})
	}
}

// ageOf returns the age of a record, by the clock of Redis. This process may read a record long after it was
// made, if it had no requests.
func (c *Cache) ageOf(at redisstore.Position) time.Duration {
	if at == 0 || c.options.Shared == nil {
		return 0
	}
	return max(0, c.options.Shared.Now().Sub(at.Time()))
}

// LastPurge returns when any of the tags was purged last, by the clock of this process; the zero time: never, as
// far as this process knows.
func (c *Cache) LastPurge(tags []string) time.Time {
	c.log.mu.RLock()
	defer c.log.mu.RUnlock()
	return c.log.times.last(tags)
}

// Purged is a purge that this process has applied, possibly again: it also arrives through the log, and each
// time that the log is read from its beginning.
type Purged struct {
	Purge
	ID    string              // the same when it is applied again
	At    redisstore.Position // in the shared log; 0: it is not there, or not yet
	Local bool                // made by this process
	Time  time.Time           // by the clock of Redis, if it is from the shared log
}

// watch makes a new doubt expire. Each instance purges for itself then what the write may have
// changed: it has stored nothing meanwhile for longer than a second, and nothing in Redis.
func (c *Cache) watch(r record) {
	if !r.Begins || c.log.doubtful(r.ID) {
		return
	}
	time.AfterFunc(c.options.Doubt, func() {
		if c.log.doubtful(r.ID) {
			p := c.record(Purge{Tags: r.Tags, All: len(r.Tags) == 0, From: "doubt"})
			p.Ends = r.ID
			c.apply(0, p, true)
		}
	})
}

// Announcement is a write that is about to be sent to the source. Until one of its methods
// reports the outcome, entries that show its tags are in doubt at every instance: they are
// served for a second at most. So an instance that dies in between leaves no old entry that
// counts as fresh. The methods of a nil Announcement do nothing.
type Announcement struct {
	cache *Cache
	id    string // of the record that begins the doubt; "" if there is none
	tags  []string
}

// Announce puts entries that show tags in doubt, before a write is sent. If its outcome is
// not reported within [Options.Doubt], they are purged.
func (c *Cache) Announce(ctx context.Context, tags []string) *Announcement {
	r := c.record(Purge{Tags: tags})
	r.Note, r.Begins = true, true
	c.apply(0, r, true)
	if c.options.Shared != nil {
		_, _ = c.options.Shared.Append(ctx, r.encode()) // without Redis the other instances learn of the outcome alone, later
	}
	return &Announcement{cache: c, id: r.ID, tags: tags}
}

// Unannounced is for a write that the source will refuse as a rule. It puts nothing in doubt: anybody
// could send such writes without end. What it changes is known to the other instances once it was done.
func (c *Cache) Unannounced(tags []string) *Announcement { return &Announcement{cache: c, tags: tags} }

// Purge reports that the write was done, and purges what it changed; see [Cache.Purge].
func (a *Announcement) Purge(ctx context.Context, p Purge) (shared bool) {
	if a == nil {
		return true
	}
	r := a.cache.record(p)
	r.Ends = a.id
	return a.cache.purge(ctx, r)
}

// Withdraw reports that the write changed nothing.
func (a *Announcement) Withdraw() {
	if a == nil || a.id == "" {
		return
	}
	c, r := a.cache, a.cache.record(Purge{})
	r.Note, r.Ends = true, a.id
	c.apply(0, r, true)
	if c.options.Shared != nil {
		// If this fails, the other instances purge when the doubt expires.
		c.background(func() { _, _ = c.options.Shared.Append(c.ctx, r.encode()) })
	}
}

// Doubt reports that the outcome of the write is unknown. Its tags are purged, and all that is
// fetched from now on stays in doubt: the source may still be processing the write. The doubt replaces
// the one of an earlier write of the same client, if that is open; nil is none. A write that was not
// announced purges softly, within the bounds of suspicions.
func (a *Announcement) Doubt(ctx context.Context, from string, earlier *Announcement) {
	if a == nil {
		return
	}
	p := Purge{Tags: a.tags, From: from}
	if a.id == "" {
		if p.Tags, p.Soft = a.cache.suspicions.admit(a.tags, a.cache.options.Clock()), true; len(p.Tags) > 0 {
			a.cache.Purge(ctx, p)
		}
		return
	}
	if earlier != nil && len(a.tags)+len(earlier.tags) <= maxUnion && a.cache.log.doubtful(earlier.id) {
		defer earlier.Withdraw()
		a.tags = slices.Concat(a.tags, earlier.tags)
		slices.Sort(a.tags)
		a.tags = slices.Compact(a.tags)
		p.Tags = a.tags
	}
	r := a.cache.record(p)
	r.Ends, r.Begins = a.id, true
	a.id = r.ID
	a.cache.purge(ctx, r)
}

// maxUnion bounds the tags of a doubt that replaces another one. Above it the earlier one stays.
const maxUnion = 1000

// suspicions are the tags of writes of unknown outcome that were not announced. Each is purged at most
// once in a window, and few of them: whoever makes the source fail must not keep an entry from being
// served, nor fill the log.
type suspicions struct {
	mu     sync.Mutex
	until  time.Time // the end of the window
	purged map[string]bool
}

const (
	suspicionWindow = time.Minute
	maxSuspicions   = 100 // tags in a window
)

// admit returns the tags that may be purged now.
func (s *suspicions) admit(tags []string, now time.Time) (admitted []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !now.Before(s.until) {
		s.until, s.purged = now.Add(suspicionWindow), map[string]bool{}
	}
	for _, t := range tags {
		if !s.purged[t] && len(s.purged) < maxSuspicions {
			s.purged[t] = true
			admitted = append(admitted, t)
		}
	}
	return admitted
}

// Pending are the purges that were made here and are not in the log that all instances share,
// because Redis did not answer. They belong to the process: a reload hands them over to the next
// cache, which appends them to its own log. The zero value is ready for use.
type Pending struct {
	n atomic.Int64 // of records

	mu      sync.Mutex
	records []record // the oldest first
}

// maxPending bounds the purges that wait for Redis; beyond it everything is purged when Redis
// is back.
const maxPending = 10_000

// Len returns the number of purges.
func (p *Pending) Len() int { return int(p.n.Load()) }

func (p *Pending) add(r record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.records) >= maxPending {
		p.records, r.Purge = nil, Purge{All: true}
	}
	p.records = append(p.records, r)
	p.n.Store(int64(len(p.records)))
}

// maxFlush bounds the purges that are passed on at a time.
const maxFlush = 500

// flush passes on all purges in order, until some fail. Purges of other goroutines wait.
func (p *Pending) flush(send func([]record) error) error {
	if p.Len() == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.records) > 0 {
		n := min(len(p.records), maxFlush)
		if err := send(p.records[:n]); err != nil {
			return err
		}
		p.records = p.records[n:]
		p.n.Store(int64(len(p.records)))
	}
	return nil
}

// Wait waits until there is none, or 50 ms after ctx is done at most. It returns the tags of those that are left,
// as Tags does.
func (p *Pending) Wait(ctx context.Context) (tags []string) {
	for p.Len() > 0 && ctx.Err() == nil {
		time.Sleep(deliverEvery / 4)
	}
	return p.Tags()
}

// Tags returns the tags of all purges, sorted; "*" is everything.
func (p *Pending) Tags() (tags []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.records {
		if r.All {
			tags = append(tags, "*")
		}
		tags = append(tags, r.Tags...)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}
