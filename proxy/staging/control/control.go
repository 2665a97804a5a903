package control

import (
	"context"
	"errors"
	"net/http"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
)

// Control is the [admin.Migration] of a configuration.
type Control struct {
	Matrix   *staging.Matrix
	Fleet    *fleet.Fleet      // changes Matrix
	Findings *compare.Findings // of comparisons
	Token    string            // of the admin listener, which no change may show
	Log      *zap.Logger
}

// Refresh implements [admin.Decisions].
func (c *Control) Refresh(ctx context.Context) { c.Fleet.Count(ctx, true) }

// Shared implements [admin.Decisions].
func (c *Control) Shared() bool { return c.Fleet.Shared() }

// Known implements [admin.Decisions].
func (c *Control) Known() bool { return c.Matrix.Snapshot().Candidate == "" || c.Fleet.Status().Known }

// SetReadOnly implements [admin.Decisions].
func (c *Control) SetReadOnly(ctx context.Context, readOnly bool, who string) *admin.Refusal {
	if _, err := c.Fleet.SetReadOnly(ctx, readOnly, who, ""); err != nil {
		return refuse(err)
	}
	return nil
}

// NoCandidate is the refusal where no candidate is configured.
var NoCandidate = &admin.Refusal{
	Status:  http.StatusNotFound,
	Code:    "no_candidate",
	Message: "there is no candidate: staging.candidate is empty",
}

// invalidStaging is the code of a change that is not valid.
const invalidStaging = "invalid_staging"

// refuse returns the refusal of a change that failed.
func refuse(err error) *admin.Refusal {
	changed, overtaken := errors.AsType[*fleet.Changed](err)
	unavailable, down := errors.AsType[*fleet.Unavailable](err)
	switch {
	case overtaken:
		return &admin.Refusal{Status: http.StatusConflict, Code: "changed", Message: changed.Error(), Version: changed.Version}
	case down:
		return &admin.Refusal{Status: http.StatusServiceUnavailable, Code: "decisions_unavailable", Message: unavailable.Error()}
	case errors.Is(err, staging.ErrSplit):
		return &admin.Refusal{Status: http.StatusConflict, Code: "split", Message: err.Error()}
	case errors.Is(err, staging.ErrNoCandidate):
		return NoCandidate
	}
	return admin.Invalid(invalidStaging, err.Error())
}
