package fleet

import (
	"time"

	"github.com/calfacade/calfacade/proxy/staging"
)

// adoption is what the configuration of this instance changes in a state.
type adoption struct {
	candidate string
	cells     []staging.Cell
	wanted    map[staging.Cell]staging.Setting
	before    map[staging.Cell]staging.Setting // of the configuration that this instance used last
}

// apply changes s, which nothing else uses yet. It returns the changes of settings, for the audit
// log, and reports whether s has changed.
func (a adoption) apply(s state, from origin, now time.Time) (changes []staging.Change, changed bool) {
	for _, c := range a.cells {
		want, v := a.wanted[c], s.Cells[a.candidate][c.String()]
		var before *staging.Setting
		if b, ok := a.before[c]; ok {
			before = &b
		}
		if !v.adopts(want, before, now) {
			continue
		}
		changed = true
		if v == nil {
			had := s.set(a.candidate, c, want, from)
			s.Cells[a.candidate][c.String()].File = want
			changes = noteChange(changes, c, had, want, from)
			continue
		}
		v.adopt(want, now)
		if v.Setting != want {
			changes = noteChange(changes, c, s.set(a.candidate, c, want, from), want, from)
		}
	}
	return changes, changed
}

// noteChange adds a cell to the change with the same setting, unless the cell had that setting.
func noteChange(changes []staging.Change, c staging.Cell, had, to staging.Setting, from origin) []staging.Change {
	if had == to {
		return changes
	}
	for i := range changes {
		if changes[i].To == to {
			changes[i].Add(c, had)
			return changes
		}
	}
	change := staging.Change{Version: from.Version, When: from.Since, To: to, Who: from.Who, Why: from.Why, Instance: from.Instance}
	change.Add(c, had)
	return append(changes, change)
}
