package cache

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Purge invalidates the entries that show any of its tags.
type Purge struct {
	Tags []string `json:"tags,omitempty"`
	All  bool     `json:"all,omitempty"`  // all entries, whatever their tags
	Soft bool     `json:"soft,omitempty"` // they may still be served stale

	From string `json:"-"` // the cause, for the log and the status page of this process
}

// The causes of purges that others than their makers distinguish.
const (
	FromHTTP  = "http" // requested by HTTP, by the site as a rule
	FromWrite = "write"
)

// record is a record of the log: mostly a purge. See [Announcement] for the others.
type record struct {
	Purge
	Version int    `json:"v"`
	Space   string `json:"space,omitempty"`  // the [Options.TagSpace] of its cache
	ID      string `json:"id"`               // random
	Note    bool   `json:"note,omitempty"`   // it purges nothing
	Begins  bool   `json:"begins,omitempty"` // a write to its tags is pending
	Ends    string `json:"ends,omitempty"`   // the ID of the record whose write is no longer pending; "" ends no write
}

// recordVersion is the version of the tags as well: while instances of two versions run side by side, each
// purges everything for a record of the other version. See [version].
const recordVersion = 3

func (r record) encode() []byte {
	data, err := json.Marshal(r)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return data
}

// decodeRecord decodes a record. One that it cannot decode purges everything: it may have
// been any purge.
func decodeRecord(data []byte) (r record) {
	err := json.Unmarshal(data, &r)
	if err != nil || r.Version != recordVersion || len(r.Tags) == 0 && !r.All && !r.Note {
		return record{Purge: Purge{All: true}}
	}
	return r
}

// inSpace returns the record in the tags of a space. Another space may lack some: an instance that
// serves fewer languages of a site names fewer lists. So what it purges, or announces a write to, is
// everything.
func (r record) inSpace(space string) record {
	if r.Space != space {
		r.Tags = nil
		r.All = !r.Note
	}
	return r
}

// PurgeOf returns the purge that a record of the log makes, in the tags of a tag space; ok is false if
// it makes no purge.
func PurgeOf(data []byte, space string) (p Purge, ok bool) {
	r := decodeRecord(data).inSpace(space)
	return r.Purge, !r.Note
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
		p.records = nil
		r.Purge = Purge{All: true}
	}
	p.records = append(p.records, r)
	p.n.Store(int64(len(p.records)))
}

// maxFlush bounds the purges that are passed on at a time.
const maxFlush = 500

// flush passes on all purges in order, until some fail. Purges of other goroutines wait.
func (p *Pending) flush(send func([]record) error) error {
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

// deliverEvery is the interval of log reads that deliver pending purges.
const deliverEvery = 200 * time.Millisecond

// Wait waits until no purge is pending or ctx is done, which it notices within a quarter of [deliverEvery]. It returns
// the tags of the purges that are left, as Tags does.
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
