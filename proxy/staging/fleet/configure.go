package fleet

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/staging"
)

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

// Configure sets the plan, and the store that l links to; with a nil l this instance decides
// alone. With a store, decisions of all instances call apply to set read-only mode, which the
// configuration may set independently.
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
	// If this fails because Redis does not respond, the changes of the configuration apply to
	// this instance, and are adopted when Redis is back.
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
		f.state = state{} // the previous one is of another store
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
