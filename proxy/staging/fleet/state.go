package fleet

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/calfacade/calfacade/proxy/staging"
)

// state is a version of the decisions.
type state struct {
	Before   []string                     `json:"before,omitempty"`   // IDs of earlier versions, the latest last
	Restored uint64                       `json:"restored,omitempty"` // how often Redis had lost a version
	Mode     *mode                        `json:"mode,omitempty"`     // nil: that of the configurations
	Cells    map[string]map[string]*value `json:"cells,omitempty"`    // by candidate and [staging.Cell.String]
}

// origin is who made a decision, and when.
type origin struct {
	Version  uint64    `json:"version"`
	Since    time.Time `json:"since"`
	Who      string    `json:"who"`
	Why      string    `json:"why,omitempty"`
	Instance string    `json:"instance,omitempty"`
}

// mode is whether all instances refuse writes, whatever their configurations say.
type mode struct {
	ReadOnly bool `json:"read_only"`
	origin
}

func (s state) refusesWrites() bool { return s.Mode != nil && s.Mode.ReadOnly }

// change returns the change that has set the mode.
func (m mode) change() staging.Change {
	name := map[bool]string{false: "read_write", true: "read_only"}[m.ReadOnly]
	return staging.Change{Version: m.Version, When: m.Since, Mode: name, Who: m.Who, Why: m.Why, Instance: m.Instance}
}

// value is the decision about a cell, and the settings of the configurations that instances
// have read so far.
type value struct {
	staging.Setting
	origin
	File    staging.Setting `json:"file"`              // of the newest configuration
	Earlier []former        `json:"earlier,omitempty"` // of configurations before it, the latest last
}

// former is a setting of a configuration that another one has replaced.
type former struct {
	staging.Setting
	Until time.Time `json:"until"`
}

// Bounds of a state.
const (
	maxBefore  = 20
	maxEarlier = 5
)

// rollout is the maximum time in which all instances get a new configuration. An instance that
// starts with an earlier one within this time has not been updated yet.
const rollout = 10 * time.Minute

func parseState(data []byte) (s state, err error) {
	if len(data) > 0 {
		err = json.Unmarshal(data, &s)
	}
	return s, err
}

func (s state) encode() []byte {
	data, err := json.Marshal(s)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return data
}

// next returns a deep copy, to be edited, as the successor of the version with this ID.
func (s state) next(id string) state {
	n, err := parseState(s.encode())
	if err != nil {
		panic("BUG: " + err.Error())
	}
	if id != "" {
		n.Before = append(n.Before, id)
		n.Before = n.Before[max(0, len(n.Before)-maxBefore):]
	}
	if n.Cells == nil {
		n.Cells = map[string]map[string]*value{}
	}
	return n
}

// set sets a cell and returns its previous setting: the legacy if nothing was decided.
func (s state) set(candidate string, c staging.Cell, to staging.Setting, from origin) (had staging.Setting) {
	cells := s.Cells[candidate]
	if cells == nil {
		cells = map[string]*value{}
		s.Cells[candidate] = cells
	}
	v := cells[c.String()]
	if v == nil {
		v = &value{Setting: staging.Setting{State: staging.Legacy}}
		v.File = v.Setting
		cells[c.String()] = v
	}
	had, v.Setting, v.origin = v.Setting, to, from
	return had
}

// decided returns the decisions for cells.
func (s state) decided(candidate string, cells []staging.Cell) map[staging.Cell]staging.Decided {
	all := map[staging.Cell]staging.Decided{}
	for _, c := range cells {
		if v := s.Cells[candidate][c.String()]; v != nil {
			all[c] = staging.Decided{Setting: v.Setting, Version: v.Version, Since: v.Since, Who: v.Who, Why: v.Why, Instance: v.Instance}
		}
	}
	return all
}

// adopts reports whether a configuration with the setting want changes the decision about a
// cell. before is the setting in the previous configuration of this instance; nil if the
// instance has just started. An unchanged configuration changes nothing. While instances have
// different ones, the newest wins: one that another has replaced is not new again until rollout
// is over, unless an instance that had the other one reads it.
func (v *value) adopts(want staging.Setting, before *staging.Setting, now time.Time) bool {
	switch {
	case v == nil:
		return true
	case want == v.File, before != nil && *before == want:
		return false
	case before != nil && *before == v.File:
		return true
	}
	return !slices.ContainsFunc(v.Earlier, func(f former) bool { return f.Setting == want && now.Sub(f.Until) < rollout })
}

// adopt makes want the setting of the newest configuration.
func (v *value) adopt(want staging.Setting, now time.Time) {
	v.Earlier = slices.DeleteFunc(v.Earlier, func(f former) bool { return f.Setting == want })
	v.Earlier = append(v.Earlier, former{v.File, now})
	v.Earlier = v.Earlier[max(0, len(v.Earlier)-maxEarlier):]
	v.File = want
}
