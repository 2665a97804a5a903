package staging

import (
	"fmt"
	"slices"
	"strings"
)

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
		if c.Op == Read && settings[c].ofWriters() != settings[write].ofWriters() {
			split = append(split, fmt.Sprintf("%s in %s: reads are %s, writes are %s", c.Resource, c.Language, settings[c], settings[write]))
		}
	}
	return split
}

// firstOf returns a few, and how many more there are: a change of all cells splits each of
// them in the same way.
func firstOf(split []string) string {
	const few = 3
	if len(split) <= few {
		return strings.Join(split, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(split[:few], "; "), len(split)-few)
}

// Describe describes cells briefly. Mostly they are all cells of some resources in some
// languages.
func Describe(cells []Cell) string {
	var ops, resources, languages []string
	for _, c := range cells {
		ops, resources, languages = with(ops, string(c.Op)+"s"), with(resources, c.Resource), with(languages, c.Language)
	}
	if len(ops)*len(resources)*len(languages) == len(cells) && len(cells) > 0 {
		return fmt.Sprintf("%s of %s in %s", strings.Join(ops, " and "), strings.Join(resources, ", "), strings.Join(languages, ", "))
	}
	var each []string
	for _, c := range cells {
		each = append(each, Describe([]Cell{c}))
	}
	return strings.Join(each, "; ")
}

func with(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}
