package fleet

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/calfacade/calfacade/proxy/staging"
)

// shown is how many changes Log returns.
const shown = 100

// Log returns the latest changes, the latest first: those of all instances, or without Redis
// those that this instance has recorded. shared reports which.
func (f *Fleet) Log(ctx context.Context) (changes []staging.Change, shared bool) {
	l := f.link.Load()
	if l == nil {
		return f.options.Matrix.Snapshot().History, false
	}
	records, err := l.store.Audit(ctx, shown)
	if err != nil {
		return f.options.Matrix.Snapshot().History, false
	}
	changes = []staging.Change{}
	for _, r := range records {
		var c staging.Change
		if json.Unmarshal(r, &c) == nil {
			changes = append(changes, c)
		}
	}
	return withLocal(changes, f.options.Matrix.Snapshot().History), true
}

// withLocal adds the rollbacks that this instance alone has recorded, such as a refused one.
func withLocal(changes, local []staging.Change) []staging.Change {
	for _, c := range local {
		if c.Version == 0 && c.Who == staging.ByRollback {
			changes = append(changes, c)
		}
	}
	slices.SortStableFunc(changes, func(a, b staging.Change) int { return b.When.Compare(a.When) })
	return changes[:min(len(changes), shown)]
}
