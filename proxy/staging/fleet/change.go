package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/staging"
)

// Change is a requested change of a part of the matrix. An omitted list of the selection selects all.
type Change struct {
	staging.Selection
	staging.Setting
	Who     string `json:"who,omitempty"`
	Why     string `json:"why,omitempty"`
	Force   bool   `json:"force,omitempty"`   // also if reads and writes would go to different backends
	Version uint64 `json:"version,omitempty"` // on which the change is based; 0: any
}

// Unavailable is the error of a change that was not made, or may not have been made, because
// Redis does not respond.
type Unavailable struct {
	Sent bool // the change may have been made
}

func (u *Unavailable) Error() string {
	if u.Sent {
		return "redis did not confirm the change, which may have been made: look before you repeat it"
	}
	return "redis, which has the decisions of all instances, does not answer: nothing was changed"
}

// Changed is the error of a change that another one has overtaken.
type Changed struct{ Version uint64 }

func (c *Changed) Error() string {
	return fmt.Sprintf("another change was made meanwhile: version %d is the latest", c.Version)
}

// Stage changes a part of the matrix. With a store every request that arrives at any instance
// after Stage returns follows the change. Stage returns the version that the change has made; 0: this
// instance decides alone.
func (f *Fleet) Stage(ctx context.Context, c Change) (version uint64, err error) {
	l := f.link.Load()
	if l == nil {
		return 0, f.options.Matrix.Set(c.Selection, c.Setting, c.Who, c.Why, c.Force)
	}
	return f.change(ctx, l, c.Version, func(next *staging.Decisions) error {
		cells, err := f.options.Matrix.Try(c.Selection, c.Setting, c.Force)
		if err == nil {
			next.Set(f.plan.Candidate.Name, cells, c.Setting, f.origin(c.Who, c.Why))
		}
		return err
	})
}

// SetReadOnly makes all instances refuse writes or, with readOnly false, follow their
// configurations. Without a store the change is only recorded, and the caller must switch this instance.
func (f *Fleet) SetReadOnly(ctx context.Context, readOnly bool, actor, why string) (version uint64, err error) {
	l := f.link.Load()
	if l == nil {
		f.options.Matrix.Note(staging.Mode{ReadOnly: readOnly, Origin: f.options.Matrix.Origin(actor, why)}.Change())
		return 0, nil
	}
	return f.change(ctx, l, 0, func(next *staging.Decisions) error {
		next.Mode = &staging.Mode{ReadOnly: readOnly, Origin: f.origin(actor, why)}
		return nil
	})
}

// change makes the decisions after edit the latest version, and follows that version.
func (f *Fleet) change(ctx context.Context, l *Link, version uint64, edit func(next *staging.Decisions) error) (uint64, error) {
	if l.store.ReadLog() != nil {
		return 0, &Unavailable{}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case l != f.link.Load() || !f.synced:
		return 0, &Unavailable{}
	case version != 0 && version != f.current.Version:
		return 0, &Changed{f.current.Version}
	}
	next := f.state.Clone()
	if err := edit(&next); err != nil {
		return 0, err
	}
	err := f.decide(ctx, l, next)
	switch {
	case errors.Is(err, redisstore.ErrChanged):
		return 0, &Changed{f.current.Version + 1}
	case err != nil:
		return 0, &Unavailable{Sent: !errors.Is(err, redisstore.ErrDown)}
	}
	f.settle(ctx, l, false)
	return f.current.Version, nil
}

// origin returns the origin of a decision that this instance makes now.
func (f *Fleet) origin(actor, why string) staging.Origin {
	o := f.options.Matrix.Origin(actor, why)
	o.Version = f.current.Version + 1
	o.Instance = f.options.Instance
	return o
}

// decide makes next the latest version, unless one of the numbers without is counted. The numbers of
// the cells that next sets start again at 0.
func (f *Fleet) decide(ctx context.Context, l *Link, next staging.Decisions, without ...string) error {
	next.Version = f.current.Version + 1
	c := redisstore.Replacement{From: f.current, State: encode(next), Forget: f.forgotten(next), Without: without}
	for _, change := range next.Changes(f.plan, f.state) {
		c.Audit = append(c.Audit, encode(change))
	}
	now, err := l.store.Decide(ctx, c)
	if err != nil {
		return err
	}
	f.current, f.state = now, next
	return nil
}

func encode(v any) string {
	data, _ := json.Marshal(v) // never fails
	return string(data)
}
