package audit

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// Options configure an [Auditor].
type Options struct {
	Interval time.Duration // mean time between two audits; 0 disables auditing
	Grace    time.Duration // how long the purge of a change may take; 0 is 5 s
	Late     time.Duration // how long after a finding a purge counts as late; 0 is 1 min
	Timeout  time.Duration // of a read at the site; 0 is 10 s

	Ledger   *Ledger           // gets the results; nil disables auditing
	Cache    *cache.Cache      // nil disables auditing
	Comparer *compare.Comparer // required

	Zone  func(language string) *time.Location // of the site of a language; nil, or a function that returns nil: unknown
	Log   *zap.Logger                          // nil logs nothing
	Clock func() time.Time                     // nil is time.Now
}

func (o Options) withDefaults() Options {
	for d, otherwise := range map[*time.Duration]time.Duration{&o.Grace: 5 * time.Second, &o.Late: time.Minute, &o.Timeout: 10 * time.Second} {
		if *d == 0 {
			*d = otherwise
		}
	}
	if o.Zone == nil {
		o.Zone = func(string) *time.Location { return nil }
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}

// Sample is an answer that was served from the cache to a request without credentials.
type Sample struct {
	Key      string // of the entry
	Call     *mapping.Call
	Shown    string           // path and query of the call, secrets masked
	Backend  string           // the name of that which serves the call
	Language string           // the code of the root
	Tags     mapping.TagSpace // of the language

	// Read makes the call at the backend, without credentials and with the priority of a refresh.
	Read func(context.Context) (compare.Document, error)
}

// Auditor audits the answers of one facade, one at a time. Its methods may be called on nil, which
// audits nothing.
type Auditor struct {
	options Options
	armed   atomic.Bool // the next answer is the sample
	samples chan Sample // room for one: there is one for each time that armed was set
	open    map[string]*finding
	logged  *rate.Limiter

	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// Wants reports whether the answer that was just served is to be audited. If so, the caller must call
// Audit. The cost for an answer is that of reading a number that hardly ever changes.
func (a *Auditor) Wants() bool {
	return a != nil && a.armed.Load() && a.armed.CompareAndSwap(true, false)
}

// Audit audits a sample, in the background.
func (a *Auditor) Audit(s Sample) { a.samples <- s }
