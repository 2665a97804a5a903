package cache

import (
	"context"
	"github.com/calfacade/calfacade/cache/redisstore"
	"time"
)

// Options are what a Cache is made of.
type Options struct {
	Memory   int64 // bytes that entries take in this process, all told; 0 is 256 MiB
	MaxEntry int   // bytes of one entry in memory, larger ones are in Redis alone; 0 is 4 MiB

	Redis    *redisstore.Store        // what all copies share; nil: this process is alone
	Ask      bool                     // while Redis does not answer, ask the source in place of believing memory
	Compress func(body []byte) []byte // compresses a body; returns nil where that does not pay. nil disables compression

	Slow      time.Duration // how long a fetch may take before what is stale is given instead; 0 is 2 s
	Refreshes int           // refreshes under way at once; 0 is 16
	Lease     time.Duration // how long the others wait for a process that is gone while it fetches; 0 is 1 s
	Doubt     time.Duration // how long a write whose outcome is not told leaves what it shows in doubt; 0 is 60 s
	Pass      time.Duration // how long a key whose answer is not to be shared is not waited for; 0 is 10 s

	Failures Failures                  // what failed fetches are to other processes; the zero value: nothing
	Caller   func(context.Context) any // who a request is of, comparable, which [OnJoin] tells; nil: all are the same
	Observer Observer                  // is told of calls on Redis; nil: nobody
	Clock    func() time.Time          // nil is time.Now
}

// Failures are how a failed fetch is told to the processes that waited for it, so that
// a source that hangs costs them its timeout once.
type Failures struct {
	Code  func(error) string // of what others need not try again, without spaces; "" for what they may
	Error func(code string) error
}

func (o Options) withDefaults() Options {
	if o.Caller == nil {
		o.Caller = func(context.Context) any { return nil }
	}
	if o.Failures.Code == nil {
		o.Failures.Code = func(error) string { return "" }
	}
	if o.Failures.Error == nil {
		o.Failures.Error = func(string) error { return errElsewhere }
	}

	orDefault(&o.Memory, 256<<20)
	orDefault(&o.MaxEntry, 4<<20)
	orDefault(&o.Slow, 2*time.Second)
	orDefault(&o.Refreshes, 16)
	orDefault(&o.Lease, time.Second)
	orDefault(&o.Doubt, time.Minute)
	orDefault(&o.Pass, 10*time.Second)
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}

func orDefault[T int | int64 | time.Duration](v *T, otherwise T) {
	if *v == 0 {
		*v = otherwise
	}
}
