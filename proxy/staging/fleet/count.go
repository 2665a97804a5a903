package fleet

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/staging"
)

// every is the interval at which an instance adds its counts to those of all; refresh is the
// interval at which it reads those of all while it counts nothing.
const (
	every   = time.Second
	refresh = 10 * time.Second
)

// Run adds up the counts of all instances until ending is closed.
func (f *Fleet) Run(ending <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ending:
			f.Count(ctx, false) // writes above all
			return
		case <-tick.C:
			f.Retry(ctx)
			f.Count(ctx, n%int(refresh/every) == 0)
		}
	}
}

// flush is called after the first write of a cell.
func (f *Fleet) flush() { f.Count(context.Background(), false) }

// Count adds what this instance has counted to the counts of all, and makes the rollbacks that
// are due by these. With always it does so even if this instance has counted nothing.
func (f *Fleet) Count(ctx context.Context, always bool) {
	l := f.link.Load()
	if l == nil {
		return
	}
	f.counting.Lock()
	defer f.counting.Unlock()
	at := f.applied.Load() // before the counts, which are of this version or of a later one
	counted, window := f.options.Matrix.TakeUnsent()
	versions, candidate := f.options.Matrix.Versions()
	if at == nil || candidate == "" || len(counted) == 0 && !always {
		f.options.Matrix.ReturnUnsent(counted)
		return
	}
	sums, err := l.store.Tally(ctx, tallyOf(candidate, *at, counted, window))
	if err != nil {
		f.options.Matrix.ReturnUnsent(counted)
		return
	}
	if !sums.Current {
		f.options.Matrix.ReturnUnsent(withoutWrites(counted))
	}
	for _, due := range f.options.Matrix.Totals(totalsOf(candidate, versions, sums)) {
		f.rollBack(ctx, l, due)
	}
}

// withoutWrites returns the counts that are not added to those of another version.
func withoutWrites(counted map[staging.Cell]staging.Unsent) map[staging.Cell]staging.Unsent {
	for c, n := range counted {
		n.Writes = 0
		counted[c] = n
	}
	return counted
}

// rollBack decides on a rollback for all instances. If another instance is first, the cells have
// another version by the next count, and no rollback is due.
func (f *Fleet) rollBack(ctx context.Context, l *Link, due staging.RollbackDue) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l != f.link.Load() || !f.known {
		return
	}
	candidate := f.plan.Candidate.Name
	have, _, _ := f.options.Matrix.Settings()
	next, from := f.state.next(f.have.ID), f.origin(staging.ByRollback, due.Why)
	change := staging.Change{Version: from.Version, When: from.Since, To: staging.Setting{State: staging.Legacy}, Who: from.Who, Why: from.Why, Instance: from.Instance}
	var without []string
	for _, c := range due.Cells {
		if have[c].State == staging.Legacy {
			return // done meanwhile
		}
		change.Add(c, next.set(candidate, c, change.To, from))
		if c.Op == staging.Write && !due.AfterWrites {
			without = append(without, writesName(candidate, c))
		}
	}
	_, err := f.decide(ctx, l, next, []staging.Change{change}, without...)
	switch {
	case err == nil:
		f.apply(false)
	case !errors.Is(err, redisstore.ErrChanged) && !errors.Is(err, redisstore.ErrCounted):
		f.options.Log.Error("no rollback, since redis does not answer", zap.String("why", due.Why), zap.Error(err))
	}
}
