package staging

import (
	"slices"
	"time"
)

// Change is a change of the matrix, or of read-only mode.
type Change struct {
	Version  uint64    `json:"version,omitempty"` // see [Origin], as for Who, Why and Instance
	When     time.Time `json:"when"`
	Cells    []Cell    `json:"cells"`
	From     []Setting `json:"from,omitempty"` // what the cells had; each setting once
	To       Setting   `json:"to"`
	Mode     string    `json:"mode,omitempty"` // instead of cells and To: read_only or read_write
	Who      string    `json:"who"`
	Why      string    `json:"why,omitempty"`
	Instance string    `json:"instance,omitempty"`
}

// Change returns a change with this origin.
func (o Origin) Change() Change {
	return Change{Version: o.Version, When: o.Since, Who: o.Who, Why: o.Why, Instance: o.Instance}
}

// Change returns the change that has set the mode.
func (m *Mode) Change() Change {
	c := m.Origin.Change()
	if c.Mode = "read_write"; m.ReadOnly {
		c.Mode = "read_only"
	}
	return c
}

// Changes returns the changes that lead from earlier decisions to d, for the cells of a plan. That
// a cell has the setting that it had is one only if somebody has decided so.
func (d Decisions) Changes(p Plan, earlier Decisions) (changes []Change) {
	for _, c := range p.Cells {
		to, had := d.Of(p.Candidate.Name, c), earlier.Of(p.Candidate.Name, c)
		if had.Setting != to.Setting || to.Who != ByConfiguration && had.Origin != to.Origin {
			changes = add(changes, c, had.Setting, to)
		}
	}
	if d.Mode != nil && (earlier.Mode == nil || d.Mode.Origin != earlier.Mode.Origin) {
		changes = append(changes, d.Mode.Change())
	}
	return changes
}

// add adds a cell to the change that has set it.
func add(changes []Change, c Cell, had Setting, to Decision) []Change {
	made := to.Change()
	i := slices.IndexFunc(changes, func(o Change) bool {
		return o.Version == made.Version && o.Who == made.Who && o.Why == made.Why && o.When == made.When && o.To.Of(c.Op) == to.Setting
	})
	if i < 0 {
		i, made.To = len(changes), to.Setting
		changes = append(changes, made)
	}
	at := &changes[i]
	at.Cells = append(at.Cells, c)
	if !slices.Contains(at.From, had) {
		at.From = append(at.From, had)
	}
	return changes
}
