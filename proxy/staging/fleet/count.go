package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/staging"
)

// every is how often an instance adds what it has counted to the counts of all; refresh is how
// often it reads those if it has counted nothing.
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

// Count adds what was counted to the counts of all instances, and makes the rollbacks that
// these call for. always is also if nothing was counted.
func (f *Fleet) Count(ctx context.Context, always bool) {
	l := f.link.Load()
	if l == nil {
		return
	}
	f.counting.Lock()
	defer f.counting.Unlock()
	at := f.applied.Load() // before the counts, which are of this version or a later one
	counted, window := f.options.Matrix.Untold()
	versions, candidate := f.options.Matrix.Versions()
	if at == nil || candidate == "" || len(counted) == 0 && !always {
		f.options.Matrix.Return(counted)
		return
	}
	sums, err := l.store.Tally(ctx, tallyOf(candidate, *at, counted, window))
	if err != nil {
		f.options.Matrix.Return(counted)
		return
	}
	if !sums.Current {
		f.options.Matrix.Return(withoutWrites(counted))
	}
	for _, due := range f.options.Matrix.Totals(totalsOf(candidate, versions, sums)) {
		f.rollBack(ctx, l, due)
	}
}

// withoutWrites returns what is not added to the counts of another version.
func withoutWrites(counted map[staging.Cell]staging.Untold) map[staging.Cell]staging.Untold {
	for c, n := range counted {
		n.Writes = 0
		counted[c] = n
	}
	return counted
}

// rollBack makes a rollback a decision. Another instance may be first: then the cells have
// another version by the next count, and nothing is due.
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

// The names of numbers, see [redisstore.Tally]. Those of the window belong to a version of the
// cell: what was counted before a change does not count after it. Those since the change are
// forgotten by the next one, and added to no other version.
func writesName(candidate string, c staging.Cell) string { return candidate + " " + c.String() }

func recentName(candidate string, c staging.Cell, version uint64, what string) string {
	return fmt.Sprintf("%s %s %d %s", candidate, c, version, what)
}

func sinceName(candidate, cell, what string) string { return candidate + " " + cell + " " + what }

// numbers are what is counted of a cell, by the last word of its name. Requests are not counted
// for the window.
func numbers(n *staging.Counts, requests *staging.Sides) map[string]*uint64 {
	return map[string]*uint64{
		"calls": &n.Calls, "failures": &n.Failures, "compared": &n.Compared, "different": &n.Different,
		"legacy": &requests.Legacy, "candidate": &requests.Candidate,
	}
}

func tallyOf(candidate string, at redisstore.Decisions, counted map[staging.Cell]staging.Untold, window time.Duration) redisstore.Tally {
	t := redisstore.Tally{Window: window, At: at, Recent: map[string]int64{}, Ever: map[string]int64{}, Since: map[string]int64{}}
	add := func(to map[string]int64, name string, n uint64) {
		if n > 0 {
			to[name] = int64(n) // #nosec G115 -- a count
		}
	}
	for c, n := range counted {
		for what, n := range numbers(&n.Counts, new(staging.Sides)) {
			add(t.Recent, recentName(candidate, c, counted[c].Version, what), *n)
		}
		for what, n := range numbers(&n.Since.Counts, &n.Since.Requests) {
			add(t.Since, sinceName(candidate, c.String(), what), *n)
		}
		add(t.Ever, writesName(candidate, c), n.Writes)
	}
	return t
}

func totalsOf(candidate string, versions map[staging.Cell]uint64, sums redisstore.Sums) map[staging.Cell]staging.Total {
	all := map[staging.Cell]staging.Total{}
	for c, version := range versions {
		t := staging.Total{Version: version, Written: uint64(max(0, sums.Ever[writesName(candidate, c)]))}
		for what, n := range numbers(&t.Recent, new(staging.Sides)) {
			*n = uint64(max(0, sums.Recent[recentName(candidate, c, version, what)]))
		}
		for what, n := range numbers(&t.Since.Counts, &t.Since.Requests) {
			*n = uint64(max(0, sums.Ever[sinceName(candidate, c.String(), what)]))
		}
		all[c] = t
	}
	return all
}

// forgotten returns the names of the numbers that a change ends: what was counted of the cells
// that it sets, and the writes that no longer matter, those of cells that leave the legacy or
// return to it.
func forgotten(candidate string, had, next state) []string {
	var names []string
	for cell, v := range next.Cells[candidate] {
		was := had.Cells[candidate][cell]
		if was != nil && was.Version == v.Version {
			continue
		}
		for what := range numbers(new(staging.Counts), new(staging.Sides)) {
			names = append(names, sinceName(candidate, cell, what))
		}
		if moves := was == nil || was.Share() == 0 || v.Share() == 0; moves && strings.HasPrefix(cell, string(staging.Write)+" ") {
			names = append(names, candidate+" "+cell)
		}
	}
	return names
}
