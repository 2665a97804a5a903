package cache

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Pending are the purges that were made here and are not in the log that all instances share,
// because Redis did not answer. They belong to the process: a reload hands them over to the next
// cache, which appends them to its own log. The zero value is ready for use.
type Pending struct {
	n atomic.Int64 // of records

	mu      sync.Mutex
	records []record // the oldest first
	deliver func()   // of the cache in use, which then appends them in the background
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
	p.deliver()
}

// deliverBy hands the purges over to another cache, which deliver belongs to.
func (p *Pending) deliverBy(deliver func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deliver = deliver; len(p.records) > 0 {
		deliver()
	}
}

// flush passes on all purges in order, until one fails. Purges of other goroutines wait.
func (p *Pending) flush(send func(record) error) error {
	if p.Len() == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.records) > 0 {
		if err := send(p.records[0]); err != nil {
			return err
		}
		p.records = p.records[1:]
		p.n.Store(int64(len(p.records)))
	}
	return nil
}

// Wait waits until there is none, or ctx is done. It returns the tags of those that are left,
// sorted; "*" is everything.
func (p *Pending) Wait(ctx context.Context) (tags []string) {
	for p.Len() > 0 && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(deliverEvery / 4):
		}
	}
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
