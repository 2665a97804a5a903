package admin

import (
	"context"
	"net/http"
	"net/url"
)

// Decisions are what all instances decide together.
type Decisions interface {
	// Refresh reads what all instances have decided and counted.
	Refresh(ctx context.Context)

	// Shared reports whether instances decide together; otherwise this one decides alone.
	Shared() bool

	// Known reports whether this instance knows the decisions. Otherwise it refuses writes during a migration.
	Known() bool

	// SetReadOnly makes all instances refuse writes, or follow their configurations. Where this instance decides alone
	// the change is only recorded.
	SetReadOnly(ctx context.Context, readOnly bool, who string) *Refusal
}

// Migration is a migration to another backend, as operators see and change it. A change holds for every request
// that arrives at any instance after the change.
type Migration interface {
	Decisions

	// Health returns the warnings of the migration.
	Health() []Health

	// Report returns the body of the response of /staging.
	Report(ctx context.Context) any

	// Change carries out the body of POST /staging.
	Change(w http.ResponseWriter, r *http.Request) *Refusal

	// Tab returns the data of staging.html.
	Tab(ctx context.Context) any

	// ReadForm validates the form of the tab, in which a missing field selects nothing.
	ReadForm(f url.Values) (Staged, *Refusal)
}

// Staged is a change of a migration that a form asks for.
type Staged struct {
	Change    any    // shows Setting and State
	Cells     any    // a list of the changed parts, as they are now; nil in other actions
	Candidate string // name of the backend
	Split     string // why the change needs Force; "" without need
	Force     bool

	// Apply carries out the change. Apply is called once.
	Apply func(r *http.Request) *Refusal
}

// alone are the Decisions of an instance without a migration.
type alone struct{}

// Refresh implements [Decisions].
func (alone) Refresh(context.Context) {}

// Shared implements [Decisions].
func (alone) Shared() bool { return false }

// Known implements [Decisions].
func (alone) Known() bool { return true }

// SetReadOnly implements [Decisions].
func (alone) SetReadOnly(context.Context, bool, string) *Refusal { return nil }
