package staging

import (
	"slices"
	"time"
)

// Change is a change of the matrix.
type Change struct {
	Version  uint64    `json:"version,omitempty"` // of the decisions of all instances; 0: of one instance
	When     time.Time `json:"when"`
	Cells    []Cell    `json:"cells"`
	From     []Setting `json:"from,omitempty"` // what the cells had; each setting once
	To       Setting   `json:"to"`
	Mode     string    `json:"mode,omitempty"` // instead of cells and To: read_only or read_write
	Who      string    `json:"who"`            // one of the names below, or the client of the admin listener
	Why      string    `json:"why,omitempty"`
	Instance string    `json:"instance,omitempty"` // that made the change
}

// Change.Who of automatic changes.
const (
	ByConfiguration = "configuration"
	ByRollback      = "rollback"
)

// Add adds a cell and what it had to the change.
func (c *Change) Add(at Cell, from ...Setting) {
	c.Cells = append(c.Cells, at)
	for _, s := range from {
		if !slices.Contains(c.From, s) {
			c.From = append(c.From, s)
		}
	}
}

// collect adds a cell to the change with the same setting.
func collect(changes []Change, to Setting, from []Setting, c Cell) []Change {
	i := slices.IndexFunc(changes, func(other Change) bool { return other.To == to })
	if i < 0 {
		i, changes = len(changes), append(changes, Change{To: to, Who: ByConfiguration})
	}
	changes[i].Add(c, from...)
	return changes
}

// Decided is a setting that all instances have decided together.
type Decided struct {
	Setting
	Version  uint64 // of the decisions that set it
	Since    time.Time
	Who, Why string
	Instance string // that made the change
}

// collectDecided adds a cell to the change that has set it.
func collectDecided(changes []Change, c Cell, from Setting, to Decided) []Change {
	for i := range changes {
		if same := &changes[i]; same.Version == to.Version && same.To == to.Setting && same.Who == to.Who && same.Why == to.Why {
			same.Add(c, from)
			return changes
		}
	}
	change := Change{Version: to.Version, When: to.Since, To: to.Setting, Who: to.Who, Why: to.Why, Instance: to.Instance}
	change.Add(c, from)
	return append(changes, change)
}
