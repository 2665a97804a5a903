package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/staging"
)

// countInterval is the interval at which an instance adds its counts to the numbers of all.
const countInterval = time.Second

// Run adds up the numbers of all instances until ending is closed.
func (f *Fleet) Run(ending <-chan struct{}) {
	tick := time.NewTicker(countInterval)
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

// Count adds the counts of this instance to the numbers of all, and makes the rollbacks that
// are due by these. With always, and after decisions have changed, Count does so even without counts of this
// instance. Count also tries again to adopt the configuration.
func (f *Fleet) Count(ctx context.Context, always bool) {
	l := f.link.Load()
	if l == nil {
		return
	}
	if always || f.pending.Load() {
		_ = l.store.ReadLog() // if the log read fails, so do the next calls
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if l != f.link.Load() || !f.synced {
		return
	}
	if f.pending.Load() {
		f.settle(ctx, l, false)
	}
	counted := f.options.Matrix.Unsent()
	if len(counted) == 0 && !always && !f.recount || f.plan.Candidate.Name == "" {
		return
	}
	lately := redisstore.NamedNumbers{}
	sinceDecision := redisstore.NamedNumbers{}
	f.each(f.state, func(c staging.Cell, n staging.Number, name string) {
		added := counted[c]
		if added.Since[n] > 0 {
			lately[name], sinceDecision[name] = added.Recent[n], added.Since[n]
		}
	})
	recent, since, err := l.store.Tally(ctx, f.plan.Rollback.WithDefaults().Window, lately, sinceDecision)
	if err != nil {
		return
	}
	f.recount = false
	sums := map[staging.Cell]staging.Tally{}
	f.each(f.state, func(c staging.Cell, n staging.Number, name string) {
		sum := sums[c]
		sum.Recent[n], sum.Since[n] = recent[name], since[name]
		sums[c] = sum
	})
	for _, due := range f.options.Matrix.Sum(counted, sums) {
		f.rollBack(ctx, l, due)
	}
}

// rollBack decides on a rollback for all instances, unless another one was first.
func (f *Fleet) rollBack(ctx context.Context, l *Link, due *staging.RollbackDue) {
	next := f.state.Clone()
	next.Set(f.plan.Candidate.Name, due.Cells, staging.Setting{State: staging.Legacy}, f.origin(staging.ByRollback, due.Why))
	var without []string
	for _, c := range due.Cells {
		without = append(without, f.name(f.state, c, staging.Writes))
	}
	if f.decide(ctx, l, next, without...) == nil { // else the next count tries again, if the rollback is still due
		f.settle(ctx, l, false)
	}
}

// name returns the name of a number of a cell in the store. The name has the version since which the number counts:
// counts by earlier decisions do not add to the numbers of later decisions.
func (f *Fleet) name(decisions staging.Decisions, c staging.Cell, n staging.Number) string {
	decision := decisions.Of(f.plan.Candidate.Name, c)
	since := decision.Version
	if n == staging.Writes {
		since = decision.Moved
	}
	return fmt.Sprint(staging.Key(f.plan.Candidate.Name, c), " ", staging.NumberNames[n], " ", since)
}

// each calls do with each number of the cells, and with the number's name.
func (f *Fleet) each(decisions staging.Decisions, do func(c staging.Cell, n staging.Number, name string)) {
	for _, c := range f.plan.Cells {
		for n := range staging.Number(len(staging.NumberNames)) {
			do(c, n, f.name(decisions, c, n))
		}
	}
}

// forgotten returns the names of the numbers that no longer count by the next decisions.
func (f *Fleet) forgotten(next staging.Decisions) (names []string) {
	f.each(f.state, func(c staging.Cell, n staging.Number, name string) {
		if name != f.name(next, c, n) {
			names = append(names, name)
		}
	})
	return names
}
