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

// Selection is a part of the matrix. A nil list selects all, an empty list nothing.
type Selection struct {
	// Ops are read, write or both. A write is never sent twice: with shadow it
	// goes to the legacy site, with new_with_fallback to the candidate. Default empty:
	// both match.
	Ops []Op `json:"methods,omitempty" yaml:"methods" check:"in read write"`

	// Resources are events, venues, organizers, categories and tags. Default empty:
	// all match.
	Resources []string `json:"resources,omitempty" yaml:"resources" check:"resource"`

	// Languages are codes. Default empty: all match.
	Languages []string `json:"languages,omitempty" yaml:"languages"`
}

// Has reports whether a cell is selected.
func (s Selection) Has(c Cell) bool {
	return (s.Ops == nil || slices.Contains(s.Ops, c.Op)) &&
		(s.Resources == nil || slices.Contains(s.Resources, c.Resource)) &&
		(s.Languages == nil || slices.Contains(s.Languages, c.Language))
}

// Rule is a setting for a part of the matrix.
type Rule struct {
	Selection `yaml:",inline"`
	Setting   `yaml:",inline"`
}

// Cells returns the cells of a matrix of these resources and languages.
func Cells(resources, languages []string) []Cell {
	var cells []Cell
	for _, r := range resources {
		for _, l := range languages {
			for _, op := range Ops {
				cells = append(cells, Cell{Op: op, Resource: r, Language: l})
			}
		}
	}
	return cells
}

// Settings returns the setting of each cell: the last matching rule's, or Legacy.
func Settings(cells []Cell, rules []Rule) map[Cell]Setting {
	settings := make(map[Cell]Setting, len(cells))
	for _, c := range cells {
		settings[c] = legacy
		for _, r := range rules {
			if r.Has(c) {
				settings[c] = r.Setting.Of(c.Op)
			}
		}
	}
	return settings
}

// Split returns the resources and languages that some clients would write to one backend and
// read from the other, in the order of the cells.
func Split(cells []Cell, settings map[Cell]Setting) []string {
	var split []string
	for _, c := range cells {
		write := Cell{Op: Write, Resource: c.Resource, Language: c.Language}
		if c.Op == Read && settings[c].Of(Write).Share() != settings[write].Share() {
			split = append(split, fmt.Sprintf("%s in %s: reads are %s, writes are %s", c.Resource, c.Language, settings[c],
				settings[write]))
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
// languages; otherwise Describe groups the resources with the same ops and languages.
func Describe(cells []Cell) string {
	var ops, resources, languages []string
	for _, c := range cells {
		ops = appendNew(ops, string(c.Op)+"s")
		resources = appendNew(resources, c.Resource)
		languages = appendNew(languages, c.Language)
	}
	text := fmt.Sprintf("%s of %s in %s", strings.Join(ops, " and "), strings.Join(resources, ", "), strings.Join(languages, ", "))
	if len(ops)*len(resources)*len(languages) == len(cells) && len(cells) > 0 {
		return text
	}
	alike := groups(cells, func(c Cell) string {
		shape := ""
		for _, o := range cells {
			if o.Resource == c.Resource {
				shape += string(o.Op) + o.Language + " "
			}
		}
		return shape
	})
	if len(alike) == 1 {
		alike = groups(cells, func(c Cell) string { return string(c.Op) })
	}
	if len(alike) == 1 { // some cells are in the list twice
		return text
	}
	var descriptions []string
	for _, part := range alike {
		descriptions = append(descriptions, Describe(part))
	}
	return strings.Join(descriptions, "; ")
}

// groups returns the cells by key, in their order.
func groups(cells []Cell, key func(Cell) string) (lists [][]Cell) {
	for _, c := range cells {
		i := slices.IndexFunc(lists, func(alike []Cell) bool { return key(alike[0]) == key(c) })
		if i < 0 {
			i = len(lists)
			lists = append(lists, nil)
		}
		lists[i] = append(lists[i], c)
	}
	return lists
}

func appendNew(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// Candidate identifies a backend that may replace the legacy. The methods of [Matrix] take
// one because two configurations are in use during a reload: the candidate of one must not
// get calls by the plan of the other.
type Candidate struct {
	Name  string // "" without a candidate
	Place string // URLs of the backend: compared, and never shown
}

// Plan is the staging of a configuration.
type Plan struct {
	Candidate Candidate // the backend of the rules
	Cells     []Cell
	Rules     []Rule
	Rollback  Rollback
}
