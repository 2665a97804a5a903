package cache

import "time"

// Options are what a Cache is made of.
type Options struct {
	Memory   int64 // bytes that entries take in this process, all told; 0 is 256 MiB
	MaxEntry int   // bytes of one entry in memory, larger ones are in Redis alone; 0 is 4 MiB

	Redis  *Redis              // what all copies share; nil: this process is alone
	Finish func(*Entry) *Entry // gives a copy that is Complete, compressed; nil: all are as they are

	Slow      time.Duration // how long a fetch may take before what is stale is given instead; 0 is 2 s
	Refreshes int           // refreshes under way at once; 0 is 16
	Lease     time.Duration // how long one process may fetch while the others wait; 0 is 15 s
	Pass      time.Duration // how long a key whose answer is not to be shared is not waited for; 0 is 10 s

	Observer Observer         // is told of calls on Redis; nil: nobody
	Clock    func() time.Time // nil is time.Now
}

func (o Options) withDefaults() Options {
	orDefault(&o.Memory, 256<<20)
	orDefault(&o.MaxEntry, 4<<20)
	orDefault(&o.Slow, 2*time.Second)
	orDefault(&o.Refreshes, 16)
	orDefault(&o.Lease, 15*time.Second)
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
