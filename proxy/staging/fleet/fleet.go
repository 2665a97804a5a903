package fleet

import (
	"context"
	"encoding/json"
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
	PurgeWait() time.Duration
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

	applied  atomic.Pointer[redisstore.Decisions] // the version that the matrix has; nil: none of the store in use
	counting sync.Mutex                           // held while counts are added to those of all

	mu       sync.Mutex // held while a change is made
	plan     staging.Plan
	have     redisstore.Decisions // the version that this instance follows; its State is not used
	state    state
	known    bool                                        // the decisions of the store in use were read
	adopted  map[string]map[staging.Cell]staging.Setting // settings of this instance's configuration when it was last adopted, by candidate
	pending  bool                                        // the configuration could not be adopted yet
	mode     uint64                                      // the version of read-only mode that was applied
	readOnly func(on bool)                               // see Configure
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

// Shared reports whether all instances decide together.
func (f *Fleet) Shared() bool { return f.link.Load() != nil }

// origin returns the origin of a change that this instance makes now.
func (f *Fleet) origin(who, why string) origin {
	return origin{f.have.Version + 1, f.options.Clock(), who, why, f.options.Instance}
}

// decide makes next the latest version, and follows it. The caller must apply it.
func (f *Fleet) decide(ctx context.Context, l *Link, next state, changes []staging.Change, without ...string) (acknowledged func(context.Context) []string, err error) {
	c := redisstore.Change{From: f.have, State: next.encode(), Audit: records(changes...), Without: without}
	c.Forget = forgotten(f.plan.Candidate.Name, f.state, next)
	now, acknowledged, err := l.store.Decide(ctx, c)
	if err != nil {
		return nil, err
	}
	f.have, f.state = now, next
	return acknowledged, nil
}

// apply applies the version that this instance follows to the matrix and to read-only mode.
// first reports that it is the first one since the start or since a change of the store.
func (f *Fleet) apply(first bool) {
	f.options.Matrix.Follow(f.state.decided(f.plan.Candidate.Name, f.plan.Cells), first)
	f.markApplied()
	f.applyMode(first)
	if differ := f.options.Matrix.Snapshot().Differing(); first && len(differ) > 0 {
		f.options.Log.Warn("staging differs from the configuration, by decisions of all instances",
			zap.Uint64("version", f.have.Version), zap.Stringers("cells", differ))
	}
}

// markApplied records the version that the matrix has.
func (f *Fleet) markApplied() {
	have := f.have
	have.State = nil
	f.applied.Store(&have)
}

// applyMode applies read-only mode.
func (f *Fleet) applyMode(first bool) {
	f.readOnly(f.state.refusesWrites())
	if f.state.Mode == nil || f.mode == f.state.Mode.Version {
		return
	}
	f.mode = f.state.Mode.Version
	if !first || f.state.Mode.ReadOnly {
		f.options.Matrix.Note(f.state.Mode.change())
	}
}

// records encodes changes for the audit log.
func records(changes ...staging.Change) [][]byte {
	var all [][]byte
	for _, c := range changes {
		data, err := json.Marshal(c)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		all = append(all, data)
	}
	return all
}
