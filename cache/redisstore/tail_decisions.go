package redisstore

import (
	"context"
	"strconv"
	"time"
)

// decided passes the latest version of the decisions to [Options.Decided], unless it has it.
func (t *tail) decided(ctx context.Context, latest Decisions) error {
	if t.redis.options.Decided == nil || t.decisions != nil && t.decisions.same(latest) {
		return nil
	}
	return t.loadDecisions(ctx)
}

// reachDecisions reads the decisions if an item of the log names a version that is not known
// yet.
func (t *tail) reachDecisions(ctx context.Context, version string) error {
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil || t.redis.options.Decided == nil || t.decisions != nil && t.decisions.Version >= n {
		return err
	}
	return t.loadDecisions(ctx)
}

func (t *tail) loadDecisions(ctx context.Context) error {
	limited, cancel := t.limit(ctx, patience)
	defer cancel()
	d, err := t.redis.readDecisions(limited, t.node)
	if err != nil {
		return err
	}
	if err := t.redis.options.Decided(ctx, d); err != nil {
		return err
	}
	d.State = nil
	t.decisions = &d
	return nil
}

// watched is a follower that also records in the store when the end of the log was known.
type watched struct {
	Follower
	state    *LogState
	checking time.Time
}

func (w *watched) Checking() {
	w.checking = time.Now()
	w.Follower.Checking()
}

func (w *watched) Caught(at Position) {
	w.Follower.Caught(at)
	w.state.CaughtUp(w.checking)
}

func (w *watched) Lost() {
	w.Follower.Lost()
	w.state.Lose()
}
