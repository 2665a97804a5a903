package mapping

import (
	"slices"
	"strconv"
	"strings"
)

// MaxFields is the maximum number of names in a FieldSet.
const MaxFields = 100

// fieldSet reads names of attributes, each once, and without those inside of an object that is named whole.
func (p *Param) fieldSet(n *Node) (value, *Fault) {
	elements, f := p.scalars(n.elements())
	if f != nil {
		return value{}, f
	}
	var names []string
	for i, e := range elements {
		switch {
		case e.kind == object:
			return value{}, p.wrongType("array")
		case e.text == "": // "id," is a list of one
			continue
		}
		if nearest, ok := p.Shape.has(e.text); !ok {
			f := p.Fault(CodeInvalid, "unknown_field", "Number", strconv.Itoa(i+1), "Other", nearest)
			f.Opaque = false
			return value{}, f
		}
		names = append(names, e.text)
	}
	if names == nil {
		return value{}, p.emptyFault()
	}
	slices.Sort(names)
	names = slices.Compact(names)
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(names, func(whole string) bool { return strings.HasPrefix(name, whole+".") })
	})
	text := strings.Join(names, ",")
	switch {
	case len(names) > MaxFields:
		return value{}, p.Fault(CodeTooMany, "too_many", "Max", strconv.Itoa(MaxFields))
	case len(text) > p.Limit():
		return value{}, p.Fault(codeTooLong, "too_long", "Max", strconv.Itoa(p.Limit()))
	}
	return value{text: text, json: "[]"}, nil
}

// has reports whether objects of the shape have an attribute, such as title or venue.venue, or else returns the name
// of the attribute that is spelled most like it.
func (s *Shape) has(path string) (nearest string, ok bool) {
	name, part, hasPart := strings.Cut(path, ".")
	a, _ := s.Find([]byte(name), 0)
	if a == &OtherAttribute || name == "" {
		return s.nearest(name), false
	}
	switch {
	case !hasPart:
		return "", true
	case a.Class != Object:
		return name, false
	}
	nearest, ok = a.Shape.has(part)
	if nearest == "" {
		return name, ok
	}
	return name + "." + nearest, ok
}

// nearest returns the name of the attribute that is spelled most like name, or begins with name; "" for a shape without
// names.
func (s *Shape) nearest(name string) string {
	nearest := ""
	least := 0
	for i := range s.Attributes {
		candidate := s.Attributes[i].Name
		d := distance(candidate, name)
		if strings.HasPrefix(candidate, name) {
			d = min(d, 1)
		}
		if nearest == "" || d < least {
			nearest = candidate
			least = d
		}
	}
	return nearest
}

// distance returns the number of bytes to insert, delete or replace in a to get b (Levenshtein). Only the beginning
// of b counts: clients choose b, and no name of the table is as long.
func distance(a, b string) int {
	const longest = 64
	b = b[:min(len(b), longest)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
