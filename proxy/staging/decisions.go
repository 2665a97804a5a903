package staging

import (
	"maps"
	"slices"
	"time"
)

// Decisions are the settings that the configuration, operators and rollbacks have decided, and
// read-only mode. Instances on one Redis share them.
type Decisions struct {
	Version  uint64              `json:"version"`            // that made them; a restoration makes no version
	Mode     *Mode               `json:"mode,omitempty"`     // nil: as the configurations say
	Settings map[string]Decision `json:"settings,omitempty"` // by [Key]
}

// Key identifies a cell of a candidate.
func Key(candidate string, c Cell) string { return candidate + " " + c.String() }

// Origin is who made a decision, and when.
type Origin struct {
	Version  uint64    `json:"version,omitempty"` // of the decisions of all instances; 0: of one instance
	Since    time.Time `json:"since"`             // UTC, without a monotonic clock, so that origins compare
	Who      string    `json:"who"`               // one of the names below, or the client of the admin listener
	Why      string    `json:"why,omitempty"`
	Instance string    `json:"instance,omitempty"` // that made the decision
}

// Origin.Who of automatic changes.
const (
	ByConfiguration = "configuration"
	ByRollback      = "rollback"
)

// Mode is whether all instances refuse writes, whatever their configurations say.
type Mode struct {
	ReadOnly bool `json:"read_only"`
	Origin
}

// Decision is the setting of a cell, beside the settings of the configurations that were read so far.
type Decision struct {
	Setting
	Origin
	Moved   uint64   `json:"moved"`             // version by which the cell left or reached the legacy
	File    Setting  `json:"file"`              // in the newest configuration
	Earlier []former `json:"earlier,omitempty"` // in earlier configurations, within rollout
}

// former is a setting of a configuration that another one has replaced.
type former struct {
	Setting
	Until time.Time `json:"until"`
}

func (v *Decision) set(setting Setting, origin Origin) {
	if v.Share() == 0 || setting.Share() == 0 {
		v.Moved = origin.Version
	}
	v.Setting, v.Origin = setting, origin
}

// rollout is the maximum time in which all instances get a new configuration. An instance that
// starts with an earlier one within this time has not been updated yet.
const rollout = 10 * time.Minute

// Clone returns a copy to change.
func (d Decisions) Clone() Decisions {
	settings := map[string]Decision{}
	maps.Copy(settings, d.Settings)
	return Decisions{Version: d.Version, Mode: d.Mode, Settings: settings}
}

// RefusesWrites reports whether all instances refuse writes.
func (d Decisions) RefusesWrites() bool { return d.Mode != nil && d.Mode.ReadOnly }

// Of returns the decision about a cell. A cell without one is at the legacy.
func (d Decisions) Of(candidate string, c Cell) Decision {
	if v, ok := d.Settings[Key(candidate, c)]; ok {
		return v
	}
	return Decision{Setting: legacy}
}

// Set sets cells. d must be a copy.
func (d Decisions) Set(candidate string, cells []Cell, setting Setting, origin Origin) {
	for _, c := range cells {
		v := d.Of(candidate, c)
		v.set(setting.Of(c.Op), origin)
		d.Settings[Key(candidate, c)] = v
	}
}

// Adopt applies the changes of a plan to d, and reports whether there are any. d must be a copy.
// previous is the plan that this instance adopted last.
//
// A plan with unchanged rules changes nothing. While instances have different rules, the
// newest win: replaced rules are not new again until rollout is over, unless an
// instance that had the other rules reads them.
func (d Decisions) Adopt(p, previous Plan, origin Origin) (changed bool) {
	previousSettings := map[Cell]Setting{}
	if p.Candidate.Name == previous.Candidate.Name {
		previousSettings = Settings(previous.Cells, previous.Rules)
	}
	for c, setting := range Settings(p.Cells, p.Rules) {
		v, exists := d.Settings[Key(p.Candidate.Name, c)]
		lately := slices.DeleteFunc(slices.Clone(v.Earlier), func(f former) bool { return origin.Since.Sub(f.Until) >= rollout })
		again := slices.ContainsFunc(lately, func(f former) bool { return f.Setting == setting }) && previousSettings[c] != v.File
		if exists {
			if setting == v.File || setting == previousSettings[c] || again {
				continue
			}
			v.Earlier = append(lately, former{Setting: v.File, Until: origin.Since})
		}
		if v.Setting != setting {
			v.set(setting, origin)
		}
		v.File, changed = setting, true
		d.Settings[Key(p.Candidate.Name, c)] = v
	}
	return changed
}

// Change is a change of the matrix, or of read-only mode.
type Change struct {
	Version  uint64    `json:"version,omitempty"` // see [Origin], as for Who, Why and Instance
	When     time.Time `json:"when"`
	Cells    []Cell    `json:"cells"`
	From     []Setting `json:"from,omitempty"` // previous settings of the cells, each once
	To       Setting   `json:"to"`
	Mode     string    `json:"mode,omitempty"` // instead of cells and To: read_only or read_write
	Who      string    `json:"who"`
	Why      string    `json:"why,omitempty"`
	Instance string    `json:"instance,omitempty"`
}

// Parts returns the changes of the cells with the same new setting. To is the setting of reads: a write is sent
// once, and stays at the legacy when reads are in shadow.
func (c Change) Parts() (parts []Change) {
	for _, cells := range groups(c.Cells, func(cell Cell) string { return c.To.Of(cell.Op).String() }) {
		part := c
		part.Cells = cells
		part.To = c.To.Of(cells[0].Op)
		parts = append(parts, part)
	}
	return parts
}

// What describes the cells.
func (c Change) What() string { return Describe(c.Cells) }

// Change returns a change with this origin.
func (o Origin) Change() Change {
	return Change{Version: o.Version, When: o.Since, Who: o.Who, Why: o.Why, Instance: o.Instance}
}

// Change returns the change that has set the mode.
func (m Mode) Change() Change {
	c := m.Origin.Change()
	c.Mode = "read_write"
	if m.ReadOnly {
		c.Mode = "read_only"
	}
	return c
}

// Changes returns the changes that lead from earlier decisions to d, for the cells of a plan. An
// unchanged setting is a change only if somebody has decided so.
func (d Decisions) Changes(p Plan, earlier Decisions) (changes []Change) {
	for _, c := range p.Cells {
		next := d.Of(p.Candidate.Name, c)
		previous := earlier.Of(p.Candidate.Name, c)
		if previous.Setting != next.Setting || next.Who != ByConfiguration && previous.Origin != next.Origin {
			changes = add(changes, c, previous.Setting, next)
		}
	}
	if d.Mode != nil && (earlier.Mode == nil || d.Mode.Origin != earlier.Mode.Origin) {
		changes = append(changes, d.Mode.Change())
	}
	return changes
}

// add adds a cell to the change that has set the cell.
func add(changes []Change, c Cell, previous Setting, decision Decision) []Change {
	change := decision.Change()
	i := slices.IndexFunc(changes, func(o Change) bool {
		return o.Version == change.Version && o.Who == change.Who && o.Why == change.Why && o.When == change.When &&
			o.To.Of(c.Op) == decision.Setting
	})
	if i < 0 {
		i = len(changes)
		change.To = decision.Setting
		changes = append(changes, change)
	}
	entry := &changes[i]
	entry.Cells = append(entry.Cells, c)
	if !slices.Contains(entry.From, previous) {
		entry.From = append(entry.From, previous)
	}
	return changes
}
