package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/staging"
)

// Decided is redisstore.Options.Decided. It waits until the fleet uses the store.
func (l *Link) Decided(ctx context.Context, d redisstore.Decisions) error {
	select {
	case <-l.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	return l.fleet.follow(ctx, l, d)
}

// attempts is the maximum number of attempts to make a change that several instances make at
// the same time. One of them is first, and the others try again with the new version.
const attempts = 20

// follow applies decisions that were read from the store of a link.
func (f *Fleet) follow(ctx context.Context, l *Link, d redisstore.Decisions) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l != f.link.Load() {
		return nil // the store is no longer in use
	}
	first, restored := !f.known, f.state.Restored
	if err := f.read(ctx, l, d); err != nil {
		return err
	}
	if !first && f.state.Restored != restored {
		if err := f.restoreWrites(ctx, l); err != nil {
			return err
		}
	}
	f.tryAdopt(ctx, l)
	f.known = true
	f.apply(first)
	return nil
}

// read makes d the version that this instance follows. If d does not follow the version that
// this instance had, the store has lost that one: a replica was promoted, or an older backup
// restored. Then this instance restores its version, unless another decision was made since.
func (f *Fleet) read(ctx context.Context, l *Link, d redisstore.Decisions) error {
	for range attempts {
		s, err := parseState(d.State)
		if err != nil {
			return fmt.Errorf("the decisions in redis: %w", err)
		}
		switch {
		case !f.known || f.have.Version == 0 || d.ID == f.have.ID || slices.Contains(s.Before, f.have.ID):
			f.have, f.state = d, s
			return nil
		case d.Version >= f.have.Version:
			f.options.Log.Error("redis has lost a decision, and another one was made since",
				zap.Uint64("lost_version", f.have.Version), zap.Uint64("version", d.Version))
			f.options.Matrix.Note(staging.Change{Version: d.Version, Who: ByRedis, Why: fmt.Sprintf("version %d was lost, and another one was made", f.have.Version)})
			f.have, f.state = d, s
			return nil
		}
		if d, err = f.restore(ctx, l, d); !errors.Is(err, redisstore.ErrChanged) {
			return err
		}
		if d, err = l.store.Latest(ctx); err != nil {
			return err
		}
	}
	return redisstore.ErrChanged
}

// ByRedis is [staging.Change.Who] of a change that restores what Redis has lost.
const ByRedis = "redis"

// restore puts the decisions that this instance has followed in place of earlier ones.
func (f *Fleet) restore(ctx context.Context, l *Link, d redisstore.Decisions) (redisstore.Decisions, error) {
	next := f.state.next(f.have.ID)
	next.Restored++
	if d.ID != "" {
		next.Before = append(next.Before, d.ID)
	}
	why := fmt.Sprintf("redis had version %d in place of %d", d.Version, f.have.Version)
	note := staging.Change{Version: f.have.Version + 1, When: f.options.Clock(), Who: ByRedis, Why: "restored: " + why, Instance: f.options.Instance}
	now, _, err := l.store.Decide(ctx, redisstore.Change{From: d, Above: f.have.Version, State: next.encode(), Audit: records(note)})
	if err != nil {
		return d, err
	}
	f.options.Log.Error("redis has lost a decision, which this instance has restored", zap.Uint64("found", d.Version), zap.Uint64("lost", f.have.Version), zap.Uint64("version", now.Version))
	f.options.Matrix.Note(note)
	f.have, f.state = now, next
	return now, nil
}

// restoreWrites adds the writes that this instance has counted and Redis has lost. If several
// instances do so at once, the sum is too high, which at worst prevents a rollback.
func (f *Fleet) restoreWrites(ctx context.Context, l *Link) error {
	s := f.options.Matrix.Snapshot()
	sums, err := l.store.Tally(ctx, redisstore.Tally{Window: time.Minute})
	if err != nil {
		return err
	}
	lost := map[string]int64{}
	for i := range s.Cells {
		name := writesName(s.Candidate, s.Cells[i].Cell)
		if n := int64(s.Cells[i].Written) - sums.Ever[name]; n > 0 { // #nosec G115 -- a count
			lost[name] = n
		}
	}
	_, err = l.store.Tally(ctx, redisstore.Tally{Window: time.Minute, Ever: lost})
	return err
}

// tryAdopt adopts the configuration of this instance. If that fails, [Fleet.Retry] does it
// later, and this instance follows the decisions of the others meanwhile.
func (f *Fleet) tryAdopt(ctx context.Context, l *Link) {
	err := f.adopt(ctx, l)
	if err != nil && !f.pending {
		f.options.Log.Warn("the decisions of all instances do not include the changed configuration yet", zap.Error(err))
	}
	f.pending = err != nil
}

// Retry adopts the configuration if that failed before.
func (f *Fleet) Retry(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.link.Load(); l != nil && f.known && f.pending {
		if f.tryAdopt(ctx, l); !f.pending {
			f.apply(false)
		}
	}
}

// adopt makes the changes of this instance's configuration a decision of all instances.
func (f *Fleet) adopt(ctx context.Context, l *Link) error {
	candidate := f.plan.Candidate.Name
	if candidate == "" {
		return nil
	}
	a := adoption{candidate, f.plan.Cells, staging.Settings(f.plan.Cells, f.plan.Rules), f.adopted[candidate]}
	for range attempts {
		now := f.options.Clock()
		next := f.state.next(f.have.ID)
		changes, changed := a.apply(next, f.origin(staging.ByConfiguration, ""), now)
		if !changed {
			f.adopted[candidate] = a.wanted
			return nil
		}
		_, err := f.decide(ctx, l, next, changes)
		switch {
		case err == nil:
			f.adopted[candidate] = a.wanted
			return nil
		case !errors.Is(err, redisstore.ErrChanged):
			return err
		}
		d, err := l.store.Latest(ctx)
		if err == nil {
			err = f.read(ctx, l, d)
		}
		if err != nil {
			return err
		}
	}
	return redisstore.ErrChanged
}
