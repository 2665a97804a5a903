// Package staging decides which of two backends serves a call during a migration from
// the legacy to a candidate. A matrix has a state for each kind of call, resource and
// language. It can be changed at run time, and rolls back automatically. The package knows
// no HTTP and makes no calls.
//
// Start with [Matrix] in matrix.go, which selects the backend. setting.go has the states, cell.go
// what is known of each cell; change.go changes the matrix by hand, count.go counts, and rolls
// back by the rules of rollback.go; status.go reports. queue.go bounds comparisons.
package staging

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// Op is a kind of call.
type Op string

// The kinds.
const (
	Read  Op = "read"
	Write Op = "write"
)

// Ops are the kinds, in order.
var Ops = []Op{Read, Write}

// State selects the backend.
type State string

// The states. Writes are only Legacy, Canary or New: a write is sent once, to one backend.
const (
	Legacy          State = "legacy"
	Shadow          State = "shadow"            // the legacy, and the candidate is compared with it
	Canary          State = "canary"            // the candidate for a share of the clients, the same ones each time
	New             State = "new"               // the candidate
	NewWithFallback State = "new_with_fallback" // the candidate, and the legacy if that fails
)

// States are all states, from the legacy to the candidate.
var States = []State{Legacy, Shadow, Canary, New, NewWithFallback}

// Setting is a state with its share.
type Setting struct {
	State   State `json:"state"`
	Percent int   `json:"percent,omitempty"` // of the clients, 1 to 99; for Canary only
}

func (s Setting) String() string {
	if s.State == Canary {
		return fmt.Sprintf("%s %d%%", s.State, s.Percent)
	}
	return string(s.State)
}

// ParseSetting reads what [Setting.String] returns; the % may be left out.
func ParseSetting(text string) (Setting, error) {
	words := strings.Fields(text)
	var s Setting
	switch len(words) {
	case 2:
		percent, err := strconv.Atoi(strings.TrimSuffix(words[1], "%"))
		if err != nil {
			return Setting{}, fmt.Errorf("%q is no percentage", words[1])
		}
		s.Percent = percent
		fallthrough
	case 1:
		s.State = State(words[0])
		return s, s.Check()
	}
	return Setting{}, errors.New(`want a state, such as "canary 10%"`)
}

// Check returns an error if a setting is invalid.
func (s Setting) Check() error {
	switch {
	case !slices.Contains(States, s.State):
		return fmt.Errorf("%q is not one of %v", s.State, States)
	case s.State == Canary && (s.Percent < 1 || s.Percent > 99):
		return fmt.Errorf("a canary takes 1 to 99 percent of the clients, not %d", s.Percent)
	case s.State != Canary && s.Percent != 0:
		return fmt.Errorf("%s takes no percent", s.State)
	}
	return nil
}

// Share returns the percentage of clients that the candidate serves.
func (s Setting) Share() int {
	switch s.State {
	case Canary:
		return s.Percent
	case New, NewWithFallback:
		return 100
	}
	return 0
}

// Of returns the setting for calls of a kind.
func (s Setting) Of(op Op) Setting {
	switch {
	case op == Write && s.State == Shadow:
		return Setting{State: Legacy}
	case op == Write && s.State == NewWithFallback:
		return Setting{State: New}
	}
	return s
}

// Cell is a cell of the matrix: the calls of a kind for a resource in a language.
type Cell struct {
	Op       Op     `json:"op"`
	Resource string `json:"resource"`
	Language string `json:"language"` // code
}

func (c Cell) String() string { return fmt.Sprintf("%s %s %s", c.Op, c.Resource, c.Language) }

// Selection is a part of the matrix; nil means all.
type Selection struct {
	Ops       []Op     `json:"methods"`
	Resources []string `json:"resources"`
	Languages []string `json:"languages"`
}

func (s Selection) has(c Cell) bool {
	return (s.Ops == nil || slices.Contains(s.Ops, c.Op)) &&
		(s.Resources == nil || slices.Contains(s.Resources, c.Resource)) &&
		(s.Languages == nil || slices.Contains(s.Languages, c.Language))
}

// Rule is a setting for a part of the matrix.
type Rule struct {
	Selection
	Setting
}

// Cells returns the cells of a matrix of these resources and languages.
func Cells(resources, languages []string) []Cell {
	var all []Cell
	for _, r := range resources {
		for _, l := range languages {
			for _, op := range Ops {
				all = append(all, Cell{op, r, l})
			}
		}
	}
	return all
}

// Settings returns the setting of each cell: that of the last rule for it, or Legacy.
func Settings(cells []Cell, rules []Rule) map[Cell]Setting {
	all := make(map[Cell]Setting, len(cells))
	for _, c := range cells {
		all[c] = Setting{State: Legacy}
		for _, r := range rules {
			if r.has(c) {
				all[c] = r.Setting.Of(c.Op)
			}
		}
	}
	return all
}

// Split returns the resources and languages that some clients would write to one backend and
// read from the other, in the order of the cells.
func Split(cells []Cell, settings map[Cell]Setting) []string {
	var split []string
	for _, c := range cells {
		write := Cell{Write, c.Resource, c.Language}
		if c.Op == Read && settings[c].Share() != settings[write].Share() {
			split = append(split, fmt.Sprintf("%s in %s: reads are %s, writes are %s", c.Resource, c.Language, settings[c], settings[write]))
		}
	}
	return split
}

// Bucket returns a number from 0 to 99 for a client, the same each time and on every
// instance. A canary serves the numbers below its percentage, so that its clients stay in it
// when it grows.
func Bucket(client string) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(client)) // never fails
	return int(h.Sum64() % 100)
}
