package control

import (
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/staging"
)

// Health implements [admin.Migration]. Health lists the cells that were rolled back and not changed since, and counts
// the responses of the candidate that failed or differ, each since the last change of the cell's state.
func (c *Control) Health() (lines []admin.Health) {
	s := c.Matrix.Snapshot()
	var back, failing, differing part
	for i := range s.Cells {
		cell := &s.Cells[i]
		if cell.Who == staging.ByRollback {
			back.add(cell)
			continue
		}
		if cell.Failures > 0 {
			failing.add(cell)
		}
		if cell.Different > 0 {
			differing.add(cell)
		}
	}
	if back.cells != nil {
		lines = append(lines, admin.Health{Class: admin.Warn, Word: "Rolled back: " + back.What()})
	}
	responses := func(p part, fault string, n, total uint64) {
		if p.cells != nil {
			lines = append(lines, admin.Health{
				Class:  admin.Warn,
				Word:   "Responses of " + s.Candidate + " " + fault,
				Detail: admin.Portion(n, total) + ", " + p.What(),
			})
		}
	}
	responses(failing, "fail", failing.Failures, failing.Calls)
	responses(differing, "differ", differing.Different, differing.Compared)
	return lines
}
