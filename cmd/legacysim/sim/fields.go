package sim

import "strings"

// fields are the fields selected by _fields, by first name: nil stands for all below.
type fields map[string]fields

func fieldTree(names []string) fields {
	tree := fields{}
	for _, name := range names {
		tree.add(name)
	}
	return tree
}

func (f fields) add(name string) {
	first, rest, deeper := strings.Cut(name, ".")
	below, there := f[first]
	switch {
	case !deeper:
		f[first] = nil
	case there && below == nil: // all of it is selected already
	case !there:
		f[first] = fields{}
		fallthrough
	default:
		f[first].add(rest)
	}
}

// pickEach selects members of an object, or of each of a list that is the whole answer.
func pickEach(v any, f fields) any {
	items, isList := v.(list)
	if !isList {
		return pick(v, f)
	}
	out := list{}
	for _, item := range items {
		out = append(out, pick(item, f))
	}
	return out
}

// pick selects members of an object. A list has only numbers for
// names, so that events.id leaves nothing of it.
func pick(v any, f fields) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for _, m := range v {
			below, requested := f[m.name]
			switch {
			case requested && below == nil:
				out = append(out, m)
			case requested:
				out = out.with(m.name, pick(m.value, below))
			}
		}
		return out
	case list:
		return list{}
	}
	return v
}
