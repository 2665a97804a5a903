package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/staging"
)

// ByRedis is [staging.Origin.Who] of a decision that restores what Redis has lost.
const ByRedis = "redis"

// Decided is redisstore.Options.Decided. If Redis has earlier decisions than those that this instance
// follows, it has lost these: a replica was promoted, or an older backup restored. Then this instance
// restores them, unless another decision was made since, also if another instance was first: that
// may have known none but earlier ones.
func (l *Link) Decided(ctx context.Context, d redisstore.Decisions) error {
	f := l.fleet
	f.mu.Lock()
	defer f.mu.Unlock()
	if l != f.link.Load() {
		return errors.New("the store is not in use") // it passes the decisions on again
	}
	var state staging.Decisions
	if err := json.Unmarshal(d.State, &state); err != nil && d.Version > 0 {
		return fmt.Errorf("the decisions in redis: %w", err)
	}
	if f.known && state.Version < f.state.Version {
		return f.restore(ctx, l, d)
	}
	if f.known && d.Version == f.have.Version && d.ID != f.have.ID {
		f.note(f.origin(ByRedis, fmt.Sprintf("version %d was lost, and another one was made", d.Version)).Change())
	}
	first := !f.known
	f.have, f.state, f.known = d, state, true
	f.have.State = nil
	f.settle(ctx, l, first)
	return nil
}

// restore replaces earlier decisions by those that this instance follows. If another instance is
// first, Redis has a later version then, which the next look reads.
func (f *Fleet) restore(ctx context.Context, l *Link, d redisstore.Decisions) error {
	note := f.origin(ByRedis, fmt.Sprintf("restored: redis had version %d in place of %d", d.Version, f.have.Version)).Change()
	now, err := l.store.Decide(ctx, redisstore.Change{From: d, Above: f.have.Version, State: encode(f.state), Audit: [][]byte{encode(note)}})
	if err != nil {
		return err
	}
	f.note(note)
	f.have, f.recount = now, true
	return nil
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
	if f.known && pending {
		err := f.decide(ctx, l, next)
		if pending = err != nil; pending && !f.pending.Load() {
			f.options.Log.Warn("the decisions of all instances do not include the changed configuration yet", zap.Error(err))
		}
	}
	if f.pending.Store(pending); f.known && !pending {
		f.adopted = f.plan
	}
	f.options.Matrix.Follow(f.plan, next, first, f.flush)
	f.readOnly(next.RefusesWrites())
	f.recount = true
}
