// Package stagingtest has what the tests of a migration share.
package stagingtest

import (
	"fmt"
	"strings"
	"time"

	"github.com/calfacade/calfacade/proxy/staging"
)

// Candidate is the candidate of [NewMatrix].
var Candidate = staging.Candidate{Name: "next"}

// NewMatrix returns a matrix of two resources in two languages, whose clock stands still.
func NewMatrix() *staging.Matrix {
	m := staging.NewMatrix(func() time.Time { return time.Date(2026, 5, 4, 11, 0, 0, 0, time.UTC) }, nil)
	m.Configure(staging.Plan{
		Candidate: Candidate, Cells: staging.Cells([]string{"events", "venues"}, []string{"en", "es"}),
		Rollback: staging.Rollback{Errors: 50},
	})
	return m
}

// Route selects the backend for a call, and counts the call.
func Route(m *staging.Matrix, candidate staging.Candidate, c staging.Cell, client staging.Client) staging.Route {
	r, _ := m.Foresee(candidate, c, client)
	m.Count(candidate, c, r)
	return r
}

// Changed lists the cells of a matrix that are not in the state legacy.
func Changed(m *staging.Matrix) string {
	var changed []string
	for _, c := range m.Snapshot().Cells {
		if c.State != staging.Legacy {
			changed = append(changed, fmt.Sprintf("%s %s by %s %s", c.Cell, c.Setting, c.Who, c.Why))
		}
	}
	return strings.Join(changed, "; ")
}
