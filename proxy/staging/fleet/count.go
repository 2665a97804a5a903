package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/staging"
)

// every is the interval at which an instance adds what it has counted to the numbers of all.
const every = time.Second

// Run adds up the numbers of all instances until ending is closed.
func (f *Fleet) Run(ending <-chan struct{}) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for running := true; running; f.flush() { // and at the end: writes above all
		select {
		case <-ending:
			running = false
		case <-tick.C:
		}
	}
}

func (f *Fleet) flush() { f.Count(context.Background(), false) }

// Count adds what this instance has counted to the numbers of all, and makes the rollbacks that
// are due by these. With always, and after decisions have changed, it does so even if this instance
// has counted nothing. It also tries again to adopt the configuration.
func (f *Fleet) Count(ctx context.Context, always bool) {
	l := f.link.Load()
	if l == nil {
		return
	}
	if always || f.pending.Load() {
		_ = l.store.Look() // if it fails, so does what follows
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if l != f.link.Load() || !f.known {
		return
	}
	if f.pending.Load() {
		f.settle(ctx, l, false)
	}
	counted := f.options.Matrix.Unsent()
	if len(counted) == 0 && !always && !f.recount || f.plan.Candidate.Name == "" {
		return
	}
	sums, err := l.store.Tally(ctx, f.tally(counted))
	if err != nil {
		return
	}
	f.recount = false
	for _, due := range f.sum(counted, sums) {
		f.rollBack(ctx, l, due)
	}
}

// rollBack decides on a rollback for all instances, unless another one was first.
func (f *Fleet) rollBack(ctx context.Context, l *Link, due *staging.RollbackDue) {
	next := f.state.Clone()
	next.Set(f.plan.Candidate.Name, due.Cells, staging.Setting{State: staging.Legacy}, f.origin(staging.ByRollback, due.Why))
	var without []string
	for _, c := range due.Cells {
		without = append(without, staging.Key(f.plan.Candidate.Name, c)+" "+staging.NumberNames[staging.Writes])
	}
	if f.decide(ctx, l, next, without...) == nil { // else the next count tries again, if it still has to
		f.settle(ctx, l, false)
	}
}

// each calls do with each number of the cells, and with its names in a [redisstore.Tally]. The name of
// the window has the version of the cell: numbers from before a change do not matter after it.
func (f *Fleet) each(do func(c staging.Cell, n staging.Number, name, recent string)) {
	for _, c := range f.plan.Cells {
		version := f.state.Of(f.plan.Candidate.Name, c).Version
		for i, what := range staging.NumberNames {
			name := staging.Key(f.plan.Candidate.Name, c) + " " + what
			do(c, staging.Number(i), name, fmt.Sprint(name, " ", version))
		}
	}
}

func (f *Fleet) tally(counted map[staging.Cell]staging.Tally) redisstore.Tally {
	none := func() map[string]int64 { return map[string]int64{} }
	t := redisstore.Tally{Window: f.plan.Rollback.WithDefaults().Window, At: f.have, Recent: none(), Ever: none(), Since: none()}
	f.each(func(c staging.Cell, n staging.Number, name, recent string) {
		if lately := counted[c].Recent[n]; lately > 0 && n <= staging.Different {
			t.Recent[recent] = lately
		}
		if since := counted[c].Since[n]; since > 0 && n == staging.Writes {
			t.Ever[name] = since
		} else if since > 0 {
			t.Since[name] = since
		}
	})
	return t
}

func (f *Fleet) sum(counted map[staging.Cell]staging.Tally, sums redisstore.Sums) []*staging.RollbackDue {
	all := map[staging.Cell]staging.Tally{}
	f.each(func(c staging.Cell, n staging.Number, name, recent string) {
		of := all[c]
		of.Recent[n], of.Since[n] = sums.Recent[recent], sums.Ever[name]
		all[c] = of
	})
	return f.options.Matrix.Sum(counted, all, sums.Current)
}

// forgotten returns the names of the numbers that a change resets: the numbers of the cells that it sets,
// but writes only if a cell leaves the legacy or returns to it.
func (f *Fleet) forgotten(next staging.Decisions) (names []string) {
	f.each(func(c staging.Cell, n staging.Number, name, _ string) {
		was, is := f.state.Of(f.plan.Candidate.Name, c), next.Of(f.plan.Candidate.Name, c)
		if was.Version != is.Version && (n != staging.Writes || was.Moved != is.Moved) {
			names = append(names, name)
		}
	})
	return names
}
