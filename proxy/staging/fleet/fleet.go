package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/staging"
)

// Store keeps the state that the instances share, as [redisstore.Store] does.
type Store interface {
	ReadLog() error
	Up() bool
	Decide(ctx context.Context, c redisstore.Replacement) (now redisstore.SharedState, err error)
	Audit(ctx context.Context, limit int64) ([]string, error)
	Tally(ctx context.Context, window time.Duration, lately, sinceDecision redisstore.NamedNumbers) (
		recent, ever redisstore.NamedNumbers, err error)
}

// Options configure a Fleet.
type Options struct {
	Matrix   *staging.Matrix
	Instance string      // name of this instance, for operators
	Log      *zap.Logger // nil logs nothing
}

// Fleet makes and follows the decisions of all instances. A fleet is safe for concurrent use, and
// belongs to the process: a new configuration sets another plan, and maybe another store.
type Fleet struct {
	options Options
	pending atomic.Bool          // the rules of plan are not decisions of all yet; changed under mu
	link    atomic.Pointer[Link] // to the store in use; nil: this instance decides alone

	mu       sync.Mutex // held while a change is made, and while numbers are added up
	plan     staging.Plan
	adopted  staging.Plan           // the last plan with rules that became decisions; the zero Plan: no plan of this process
	current  redisstore.SharedState // the version that this instance follows
	state    staging.Decisions      // replaced, never changed
	recount  bool                   // decisions have changed since numbers were last added up
	synced   bool                   // the decisions of the store in use were read
	readOnly func(readOnly bool)    // see Configure
}

// Link connects a fleet to a store.
type Link struct {
	fleet  *Fleet
	store  Store
	latest *redisstore.SharedState // that a log read has read; nil before the first
}

// New returns a fleet of this instance alone.
func New(o Options) *Fleet {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return &Fleet{options: o}
}

// Link returns a link to a store, which must be opened with the link's method Decided.
func (f *Fleet) Link() *Link { return &Link{fleet: f} }

// Shared reports whether all instances decide together.
func (f *Fleet) Shared() bool { return f.link.Load() != nil }

// Configure sets the plan, and the store that l links to; with a nil l this instance decides
// alone. With a store, decisions of all instances call apply to set read-only mode, which the
// configuration may set independently.
func (f *Fleet) Configure(ctx context.Context, p staging.Plan, l *Link, store Store, apply func(readOnly bool)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan, f.readOnly = p, apply
	if l != f.link.Load() {
		f.current = redisstore.SharedState{}
		f.synced = false
		f.adopted = staging.Plan{}
		f.state = f.options.Matrix.Decisions()
		f.link.Store(l)
	}
	if l == nil {
		f.options.Matrix.Configure(p)
		return
	}
	l.store = store
	if l.latest != nil && !f.synced { // a log read came before: the next one reads only changes
		f.follow(ctx, l, *l.latest)
	}
	f.settle(ctx, l, false)
}

// Status describes the decisions, except the settings of cells.
type Status struct {
	Shared   bool            `json:"shared"`              // all instances decide together
	Version  uint64          `json:"version"`             // of the decisions; 0: alone, or without decisions
	Known    bool            `json:"known"`               // requests read the latest decisions, as Redis works, or there is no Redis
	ReadOnly *staging.Change `json:"read_only,omitempty"` // the change by which all instances refuse writes; nil: they do not
}

// Status returns the status, without a call to Redis, but waits for a call in progress: at most half a second.
func (f *Fleet) Status() Status {
	l := f.link.Load()
	f.mu.Lock()
	defer f.mu.Unlock()
	s := Status{Version: f.current.Version, Shared: l != nil, Known: l == nil || l.store.Up()}
	if f.state.RefusesWrites() {
		s.ReadOnly = new(f.state.Mode.Change())
	}
	return s
}

// Log returns the latest changes, the latest first: the changes of all instances and the rollbacks that
// this one has refused, or without Redis those that this instance has recorded. shared reports
// which.
func (f *Fleet) Log(ctx context.Context) (changes []staging.Change, shared bool) {
	local := f.options.Matrix.Snapshot().History
	l := f.link.Load()
	if l == nil {
		return local, false
	}
	records, err := l.store.Audit(ctx, staging.MaxHistory)
	if err != nil {
		return local, false
	}
	changes = slices.DeleteFunc(local, func(c staging.Change) bool { return c.Version != 0 || c.Who != staging.ByRollback })
	for _, r := range records {
		var c staging.Change
		if json.Unmarshal([]byte(r), &c) == nil {
			changes = append(changes, c)
		}
	}
	slices.SortStableFunc(changes, func(a, b staging.Change) int { return b.When.Compare(a.When) })
	return changes[:min(len(changes), staging.MaxHistory)], true
}

// ByRedis is [staging.Origin.Who] of a decision that restores the lost decisions of Redis.
const ByRedis = "redis"

// Decided is redisstore.Options.Decided. If Redis has earlier decisions than the decisions that this instance
// follows, Redis has lost these: a replica was promoted, or an older backup restored. Then this instance
// restores them, unless another decision was made since, also if another instance was first: that
// instance may have known only earlier decisions.
func (l *Link) Decided(ctx context.Context, d redisstore.SharedState) {
	f := l.fleet
	f.mu.Lock()
	defer f.mu.Unlock()
	l.latest = &d
	if l == f.link.Load() {
		f.follow(ctx, l, d)
	}
}

// follow follows decisions of Redis. Unreadable decisions come again.
func (f *Fleet) follow(ctx context.Context, l *Link, d redisstore.SharedState) {
	if f.synced && d == f.current {
		return
	}
	var state staging.Decisions
	if err := json.Unmarshal([]byte(d.State), &state); err != nil && d.Version > 0 {
		return
	}
	if f.synced && state.Version < f.state.Version {
		f.restore(ctx, l, d)
		return
	}
	if f.synced && d.Version == f.current.Version && d.ID != f.current.ID {
		f.note(f.origin(ByRedis, fmt.Sprintf("version %d was lost, and another one was made", d.Version)).Change())
	}
	first := !f.synced
	f.current, f.state, f.synced = d, state, true
	f.settle(ctx, l, first)
}

// restore replaces earlier decisions by those that this instance follows. If another instance is
// first, Redis has a later version then, which the next log read reads.
func (f *Fleet) restore(ctx context.Context, l *Link, d redisstore.SharedState) {
	note := f.origin(ByRedis, fmt.Sprintf("restored: redis had version %d in place of %d", d.Version, f.current.Version)).Change()
	now, err := l.store.Decide(ctx, redisstore.Replacement{From: d, Above: f.current.Version, State: encode(f.state),
		Audit: []string{encode(note)}})
	if err == nil {
		f.note(note)
		f.current, f.recount = now, true
	}
}

// note reports that Redis has lost a decision.
func (f *Fleet) note(c staging.Change) {
	f.options.Log.Error("redis has lost a decision", zap.String("why", c.Why), zap.Uint64("version", c.Version))
	f.options.Matrix.Note(c)
}

// settle follows the decisions, and adopts the configuration of this instance: its changes become
// decisions of all. While that fails, or until the decisions of the store are read, they apply to
// this instance alone.
func (f *Fleet) settle(ctx context.Context, l *Link, first bool) {
	next := f.state.Clone()
	pending := next.Adopt(f.plan, f.adopted, f.origin(staging.ByConfiguration, ""))
	if f.synced && pending {
		err := f.decide(ctx, l, next)
		pending = err != nil
		if pending && !f.pending.Load() {
			f.options.Log.Warn("the decisions of all instances do not include the changed configuration yet", zap.Error(err))
		}
	}
	f.pending.Store(pending)
	if f.synced && !pending {
		f.adopted = f.plan
	}
	f.options.Matrix.Follow(f.plan, next, first, f.flush)
	f.readOnly(next.RefusesWrites())
	f.recount = true
}
