package cache

import (
	"cmp"
	"context"
	"time"
)

// Options configure a Cache.
type Options struct {
	Memory   int64 // bytes of all entries in this process; 0 is 256 MiB
	MaxEntry int   // bytes of one entry in memory; larger ones are stored in Redis alone; 0 is 4 MiB

	Shared            Shared                   // the tier that all instances share, such as a [redisstore.Store]; nil disables it
	FetchWithoutRedis bool                     // while Redis does not answer, fetch instead of serving from memory
	Pending           *Pending                 // purges of this process that are not in the log; nil: of this cache alone
	Compress          func(body []byte) []byte // compresses a body; returns nil where that does not pay. nil disables compression

	TagSpace string // identifies what tags there are, by letters and digits; see [Cache.Purge]

	Slow  time.Duration // how long a fetch may take before a stale entry is served instead; 0 is 2 s
	Lease time.Duration // how long instances wait for one that died while it fetched; 0 is 500 ms
	Doubt time.Duration // how long a write whose outcome is not reported leaves its tags in doubt; 0 is 60 s

	Failures Failures                  // how failed fetches are reported to other processes; the zero value disables that
	Caller   func(context.Context) any // the caller of a request, a comparable value that [OnJoin] reports; nil: all are the same
	Observer Observer                  // observes calls on Redis; nil disables it
	Purged   func(Purged)              // is called with each purge, and must not block; nil disables it
	Clock    func() time.Time          // nil is time.Now
}

// Failures encode a failed fetch for the processes that waited for it, so that a source that
// hangs costs them its timeout once.
type Failures struct {
	Code  func(error) string // a code without spaces; "" for an error after which the others fetch again
	Error func(code string) error
}

func (o Options) withDefaults() Options {
	if o.Caller == nil {
		o.Caller = func(context.Context) any { return nil }
	}
	o.Memory = cmp.Or(o.Memory, 256<<20)
	o.MaxEntry = cmp.Or(o.MaxEntry, 4<<20)
	o.Slow = cmp.Or(o.Slow, 2*time.Second)
	o.Lease = cmp.Or(o.Lease, 500*time.Millisecond)
	o.Doubt = cmp.Or(o.Doubt, time.Minute)
	if o.Pending == nil {
		o.Pending = new(Pending)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}
