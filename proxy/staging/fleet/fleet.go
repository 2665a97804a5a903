package fleet

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/staging"
)

// Store is what the instances share. A [redisstore.Store] implements it.
type Store interface {
	Decide(ctx context.Context, c redisstore.Change) (now redisstore.Decisions, acknowledged func(context.Context) []string, err error)
	Latest(ctx context.Context) (redisstore.Decisions, error)
	Audit(ctx context.Context, most int64) ([][]byte, error)
	Tally(ctx context.Context, t redisstore.Tally) (redisstore.Sums, error)
	Known(ctx context.Context) (asOf time.Time, current bool)
	Lease() time.Duration
}

// Options configure a Fleet.
type Options struct {
	Matrix   *staging.Matrix
	Instance string           // name of this instance, for operators
	Log      *zap.Logger      // nil logs nothing
	Clock    func() time.Time // nil is time.Now
}

// Fleet makes and follows the decisions of all instances. It is safe for concurrent use, and
// belongs to the process: a new configuration sets another plan, and maybe another store.
type Fleet struct {
	options Options
	link    atomic.Pointer[Link] // to the store in use; nil: this instance decides alone

	applied  atomic.Pointer[redisstore.Decisions] // what the matrix has of the store in use; nil: nothing yet
	counting sync.Mutex                           // held while counts are added to those of all

	mu       sync.Mutex // held while a change is made
	plan     staging.Plan
	have     redisstore.Decisions // what is followed; its State is not used
	state    state
	known    bool                                        // the decisions of the store in use were read
	adopted  map[string]map[staging.Cell]staging.Setting // what this instance's configuration said when it was last adopted, by candidate
	pending  bool                                        // what the configuration says could not be adopted yet
	mode     uint64                                      // the version of read-only mode that was applied
	readOnly func(on bool)                               // see Configure
}

// New returns a fleet of this instance alone.
func New(o Options) *Fleet {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	f := &Fleet{options: o, readOnly: func(bool) {}}
	o.Matrix.OnFirstWrite(f.flush)
	return f
}

// Link connects a fleet to a store.
type Link struct {
	fleet *Fleet
	store Store
	ready chan struct{} // closed when the fleet uses the store
	once  sync.Once
}

// Link returns a link to a store that is opened with its method Decided.
func (f *Fleet) Link() *Link { return &Link{fleet: f, ready: make(chan struct{})} }

// Decided is redisstore.Options.Decided. It waits until the fleet uses the store.
func (l *Link) Decided(ctx context.Context, d redisstore.Decisions) error {
	select {
	case <-l.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	return l.fleet.follow(ctx, l, d)
}

// Configure sets the plan, and the store, which l links to: nil is none. With a store apply
// sets read-only mode, beside what the configuration says.
func (f *Fleet) Configure(ctx context.Context, p staging.Plan, l *Link, store Store, apply func(on bool)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan, f.readOnly = p, apply
	if l != f.link.Load() {
		f.use(l, store)
	}
	switch {
	case l == nil:
		f.options.Matrix.Alone()
		f.options.Matrix.Configure(p)
		return
	case !f.known:
		f.options.Matrix.Configure(p) // until the decisions are read
		apply(f.state.refusesWrites())
		l.once.Do(func() { close(l.ready) })
		return
	}
	// If this fails, for want of Redis, the changes of the configuration hold here, and are
	// adopted when Redis is back.
	f.tryAdopt(ctx, l)
	decided := f.state.decided(p.Candidate.Name, p.Cells)
	if f.pending {
		decided = f.unadopted(decided)
	}
	f.options.Matrix.ConfigureAndFollow(p, decided)
	f.markApplied()
	apply(f.state.refusesWrites())
}

// use changes the store.
func (f *Fleet) use(l *Link, store Store) {
	if l != nil {
		l.store = store
	}
	f.link.Store(l)
	f.applied.Store(nil)
	f.have, f.known, f.pending, f.adopted = redisstore.Decisions{}, false, false, map[string]map[staging.Cell]staging.Setting{}
	if l != nil {
		f.state = state{} // that of another store
	}
}

// unadopted leaves out the cells for which the configuration of this instance has changed.
func (f *Fleet) unadopted(decided map[staging.Cell]staging.Decided) map[staging.Cell]staging.Decided {
	wanted := staging.Settings(f.plan.Cells, f.plan.Rules)
	for c := range decided {
		if before, ok := f.adopted[f.plan.Candidate.Name][c]; ok && before != wanted[c] {
			delete(decided, c)
		}
	}
	return decided
}

// Await waits until the decisions are known, or known to be out of reach.
func (f *Fleet) Await(ctx context.Context) staging.Certainty {
	l := f.link.Load()
	if l == nil {
		return staging.Current
	}
	asOf, current := l.store.Known(ctx)
	switch {
	case current:
		return staging.Current
	case asOf.IsZero():
		return staging.Unknown
	}
	// Both clocks must agree, as for the log.
	now, lease := time.Now(), l.store.Lease()
	if now.Sub(asOf) <= lease && now.Round(0).Sub(asOf.Round(0)) <= lease {
		return staging.Held
	}
	return staging.Unknown
}

// Shared reports whether all instances decide together.
func (f *Fleet) Shared() bool { return f.link.Load() != nil }

// Status is what is decided beside the matrix.
type Status struct {
	Version  uint64 // of the decisions; 0: this instance decides alone, or nothing was decided
	Shared   bool   // all instances decide together
	Certain  staging.Certainty
	ReadOnly *staging.Change // by which writes are refused; nil: by none
}

// Status returns the status. It does not wait for Redis.
func (f *Fleet) Status() Status {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	s := Status{Shared: f.Shared(), Certain: f.Await(done)}
	f.mu.Lock()
	defer f.mu.Unlock()
	s.Version = f.have.Version
	if f.state.refusesWrites() {
		c := f.state.Mode.change()
		s.ReadOnly = &c
	}
	return s
}
