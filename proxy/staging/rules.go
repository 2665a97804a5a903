package staging

import (
	"fmt"
	"slices"
	"strings"
)

// Rules returns a short list of rules that gives each of the cells its setting: the inverse of
// [Settings]. One setting applies to everything that no other rule matches, the one that makes
// the list shortest.
func Rules(cells []Cell, settings map[Cell]Setting) []Rule {
	t := newTable(cells, settings)
	var shortest []Rule
	for i, base := range t.kinds() {
		rules := t.rules(base)
		if i == 0 || len(rules) < len(shortest) {
			shortest = rules
		}
	}
	return shortest
}

// kind is the settings of a resource in a language.
type kind struct{ read, write Setting }

// rules returns the rules that set a kind for a part of the matrix.
func (k kind) rules(part Selection) []Rule {
	if k.read.Of(Write) == k.write {
		return []Rule{{part, k.read}}
	}
	reads, writes := part, part
	reads.Ops, writes.Ops = []Op{Read}, []Op{Write}
	return []Rule{{reads, k.read}, {writes, k.write}}
}

var legacyKind = kind{Setting{State: Legacy}, Setting{State: Legacy}}

// table is a matrix by resource and language.
type table struct {
	resources, languages []string
	of                   map[[2]string]kind
}

func newTable(cells []Cell, settings map[Cell]Setting) table {
	t := table{of: map[[2]string]kind{}}
	for _, c := range cells {
		at := [2]string{c.Resource, c.Language}
		k, there := t.of[at]
		if !there {
			k = legacyKind
		}
		if c.Op == Read {
			k.read = settings[c]
		} else {
			k.write = settings[c]
		}
		t.of[at] = k
		if !slices.Contains(t.resources, c.Resource) {
			t.resources = append(t.resources, c.Resource)
		}
		if !slices.Contains(t.languages, c.Language) {
			t.languages = append(t.languages, c.Language)
		}
	}
	return t
}

// kinds returns legacyKind, and then each other kind of the table, in the order of the cells.
func (t table) kinds() []kind {
	all := []kind{legacyKind}
	for _, r := range t.resources {
		for _, l := range t.languages {
			if k := t.of[[2]string{r, l}]; !slices.Contains(all, k) {
				all = append(all, k)
			}
		}
	}
	return all
}

// rules returns rules of which the first, unless base is the legacy, matches everything.
func (t table) rules(base kind) []Rule {
	var rules []Rule
	if base != legacyKind {
		rules = base.rules(Selection{})
	}
	for _, k := range t.kinds() {
		if k == base {
			continue
		}
		byResource := rectangles(t.resources, t.languages, func(r, l string) bool { return t.of[[2]string{r, l}] == k })
		byLanguage := rectangles(t.languages, t.resources, func(l, r string) bool { return t.of[[2]string{r, l}] == k })
		parts := byResource
		if len(byLanguage) < len(byResource) {
			parts = nil
			for _, p := range byLanguage {
				parts = append(parts, [2][]string{p[1], p[0]})
			}
		}
		for _, p := range parts {
			rules = append(rules, k.rules(Selection{Resources: unlessAll(p[0], t.resources), Languages: unlessAll(p[1], t.languages)})...)
		}
	}
	return rules
}

// rectangles groups the rows by the columns for which in is true. A part is rows that have the
// same columns, and these columns.
func rectangles(rows, columns []string, in func(row, column string) bool) (parts [][2][]string) {
	at := map[string]int{}
	for _, r := range rows {
		var has []string
		for _, c := range columns {
			if in(r, c) {
				has = append(has, c)
			}
		}
		if len(has) == 0 {
			continue
		}
		key := strings.Join(has, " ")
		i, there := at[key]
		if !there {
			i, at[key] = len(parts), len(parts)
			parts = append(parts, [2][]string{nil, has})
		}
		parts[i][0] = append(parts[i][0], r)
	}
	return parts
}

// unlessAll returns nil, which matches all, in place of a list of all.
func unlessAll(list, all []string) []string {
	if len(list) == len(all) {
		return nil
	}
	return list
}

// RulesYAML returns the section staging.rules of a configuration with these rules, and force
// where clients would write to one backend and read from the other.
func RulesYAML(cells []Cell, settings map[Cell]Setting) string {
	var b strings.Builder
	b.WriteString("  rules:\n")
	rules := Rules(cells, settings)
	if len(rules) == 0 {
		b.Reset()
		b.WriteString("  rules: []\n")
	}
	for _, r := range rules {
		fmt.Fprintf(&b, "    - {%s}\n", r.yaml())
	}
	if split := Split(cells, settings); len(split) > 0 {
		fmt.Fprintf(&b, "  force: true # %s\n", firstOf(split))
	}
	return b.String()
}

func (r Rule) yaml() string {
	var parts []string
	list := func(key string, names []string) {
		if names != nil {
			parts = append(parts, fmt.Sprintf("%s: [%s]", key, strings.Join(names, ", ")))
		}
	}
	var ops []string
	for _, op := range r.Ops {
		ops = append(ops, string(op))
	}
	list("methods", ops)
	list("resources", r.Resources)
	list("languages", r.Languages)
	parts = append(parts, "state: "+string(r.State))
	if r.Percent != 0 {
		parts = append(parts, fmt.Sprintf("percent: %d", r.Percent))
	}
	if r.By != Clients {
		parts = append(parts, "by: "+r.By.String())
	}
	return strings.Join(parts, ", ")
}
