package control

import (
	"context"

	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
)

// Overview is the response of /staging.
type Overview struct {
	staging.Snapshot
	fleet.Status
	Findings *compare.Report `json:"findings,omitempty"`
}

// report returns the matrix, the decisions, and the counts and findings of all instances, as of the last
// [Control.Refresh].
func (c *Control) report(ctx context.Context) Overview {
	report := Overview{Snapshot: c.Matrix.Snapshot(), Status: c.Fleet.Status()}
	report.History, _ = c.Fleet.Log(ctx)
	findings := c.Findings.Snapshot()
	report.Findings = &findings
	return report
}

// Report implements [admin.Migration].
func (c *Control) Report(ctx context.Context) any { return c.report(ctx) }
