package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/staging"
)

// attempts bounds how often a change that all instances may make is tried again because
// another one was first.
const attempts = 20

// follow applies decisions that were read from the store of a link.
func (f *Fleet) follow(ctx context.Context, l *Link, d redisstore.Decisions) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l != f.link.Load() {
		return nil // of a store that is not in use any more
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

// read makes d what is followed. If it lacks a version that this instance has followed, the
// store has lost it, as a replica that is promoted may, or an older backup. Then what was
// decided is decided again, unless others have decided since.
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

// restoreWrites adds the writes that this instance knows of and Redis does not. If several
// instances do so at once they count too many, which prevents a rollback at most.
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

// tryAdopt adopts what the configuration says, now or, if Redis refuses it, later: what others
// have decided is followed all the same.
func (f *Fleet) tryAdopt(ctx context.Context, l *Link) {
	err := f.adopt(ctx, l)
	if err != nil && !f.pending {
		f.options.Log.Warn("the decisions of all instances do not have what the configuration says yet", zap.Error(err))
	}
	f.pending = err != nil
}

// Retry adopts what could not be adopted before.
func (f *Fleet) Retry(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.link.Load(); l != nil && f.known && f.pending {
		if f.tryAdopt(ctx, l); !f.pending {
			f.apply(false)
		}
	}
}

// adopt makes what the configuration of this instance changes a decision.
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

// origin is that of a change which this instance makes now.
func (f *Fleet) origin(who, why string) origin {
	return origin{f.have.Version + 1, f.options.Clock(), who, why, f.options.Instance}
}

// decide makes next the latest version, and follows it. The matrix does not have it yet.
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

// apply applies what is followed.
func (f *Fleet) apply(first bool) {
	f.options.Matrix.Follow(f.state.decided(f.plan.Candidate.Name, f.plan.Cells), first)
	f.markApplied()
	f.applyMode(first)
	if differ := f.options.Matrix.Snapshot().Differing(); first && len(differ) > 0 {
		f.options.Log.Warn("staging differs from the configuration, by decisions of all instances",
			zap.Uint64("version", f.have.Version), zap.Stringers("cells", differ))
	}
}

// markApplied notes the version that the matrix has.
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
