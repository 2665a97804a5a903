package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/staging"
)

// Change is a change of the matrix.
type Change struct {
	staging.Selection
	staging.Setting
	Who, Why string
	Force    bool   // also if reads and writes would go to different backends
	Version  uint64 // on which the change is based; 0: any
}

// Outcome is the outcome of a change.
type Outcome struct {
	Version        uint64   // made by the change; 0: this instance decides alone
	Unacknowledged []string // instances that have not acknowledged it in time
}

// Unavailable is the error of a change that was not made, or may not have been made, because
// Redis does not respond.
type Unavailable struct {
	Err  error
	Sent bool // it may have been made
}

func (u *Unavailable) Error() string {
	if u.Sent {
		return "redis did not confirm the change, which may have been made: look before you repeat it"
	}
	return "redis, which has the decisions of all instances, does not answer: nothing was changed"
}

func (u *Unavailable) Unwrap() error { return u.Err }

// Changed is the error of a change that another one has overtaken.
type Changed struct{ Version uint64 }

func (c *Changed) Error() string {
	return fmt.Sprintf("another change was made meanwhile: version %d is the latest", c.Version)
}

// wait is the maximum time that a change waits for the acknowledgements of other instances.
const wait = 20 * time.Second

// Stage changes a part of the matrix. With a store it waits until every instance follows the
// change, or may no longer act on an earlier decision. The outcome names the instances for
// which neither was known in time.
func (f *Fleet) Stage(ctx context.Context, c Change) (Outcome, error) {
	l := f.link.Load()
	if l == nil {
		return Outcome{}, f.options.Matrix.Set(c.Selection, c.Setting, c.Who, c.Why, c.Force)
	}
	return f.change(ctx, l, c.Version, func(next *state, from origin) ([]staging.Change, error) {
		cells, err := f.options.Matrix.Try(c.Selection, c.Setting)
		if err != nil && !(c.Force && errors.Is(err, staging.ErrSplit)) {
			return nil, err
		}
		change := staging.Change{Version: from.Version, When: from.Since, To: c.Setting, Who: c.Who, Why: c.Why, Instance: from.Instance}
		for _, cell := range cells {
			change.Add(cell, next.set(f.plan.Candidate.Name, cell, c.Setting.Of(cell.Op), from))
		}
		return []staging.Change{change}, nil
	}, c.Who, c.Why)
}

// SetReadOnly makes all instances refuse writes or, with on false, do as their configurations
// say. Without a store it only records the change, and the caller must switch this instance.
func (f *Fleet) SetReadOnly(ctx context.Context, on bool, who, why string) (Outcome, error) {
	l := f.link.Load()
	if l == nil {
		from := origin{Since: f.options.Clock(), Who: who, Why: why, Instance: f.options.Instance}
		f.options.Matrix.Note(mode{on, from}.change())
		return Outcome{}, nil
	}
	return f.change(ctx, l, 0, func(next *state, from origin) ([]staging.Change, error) {
		next.Mode = &mode{on, from}
		return []staging.Change{next.Mode.change()}, nil
	}, who, why)
}

// change applies edit to a copy of the state, makes that the latest version, and waits for the
// acknowledgements.
func (f *Fleet) change(ctx context.Context, l *Link, version uint64, edit func(next *state, from origin) ([]staging.Change, error), who, why string) (Outcome, error) {
	if _, current := l.store.Known(ctx); !current {
		return Outcome{}, &Unavailable{}
	}
	outcome, acknowledged, err := f.edit(ctx, l, version, edit, who, why)
	if err != nil {
		return Outcome{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, min(wait, l.store.Lease()+l.store.PurgeWait()+2*time.Second)) // a dead instance is registered for as long as the first two
	defer cancel()
	outcome.Unacknowledged = acknowledged(ctx)
	if len(outcome.Unacknowledged) > 0 {
		f.options.Log.Warn("instances have not acknowledged a decision", zap.Uint64("version", outcome.Version), zap.Strings("instances", outcome.Unacknowledged))
	}
	return outcome, nil
}

func (f *Fleet) edit(ctx context.Context, l *Link, version uint64, edit func(next *state, from origin) ([]staging.Change, error), who, why string) (Outcome, func(context.Context) []string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case l != f.link.Load() || !f.known:
		return Outcome{}, nil, &Unavailable{}
	case version != 0 && version != f.have.Version:
		return Outcome{}, nil, &Changed{f.have.Version}
	}
	next, from := f.state.next(f.have.ID), f.origin(who, why)
	changes, err := edit(&next, from)
	if err != nil {
		return Outcome{}, nil, err
	}
	acknowledged, err := f.decide(ctx, l, next, changes)
	if err != nil {
		return Outcome{}, nil, f.explain(ctx, l, err)
	}
	f.apply(false)
	return Outcome{Version: f.have.Version}, acknowledged, nil
}

// explain returns the error of a change that was not made.
func (f *Fleet) explain(ctx context.Context, l *Link, err error) error {
	if !errors.Is(err, redisstore.ErrChanged) {
		return &Unavailable{Err: err, Sent: !errors.Is(err, redisstore.ErrDown)}
	}
	latest := f.have.Version + 1
	if d, err := l.store.Latest(ctx); err == nil {
		latest = d.Version
	}
	return &Changed{latest}
}
