package legacyclients

import (
	"strings"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Fields are the fields of a response that a client has selected with [FieldsParam]. The zero
// value selects all.
type Fields struct{ root *selected }

// selected is a field of a response that is sent whole, or with some of its own fields.
type selected struct {
	name  string
	some  []*selected // nil if whole
	whole bool
}

// ParseFields reads a list of fields, such as "id,image.url".
func ParseFields(text string) Fields {
	names := strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r' })
	if len(names) == 0 {
		return Fields{}
	}
	root := &selected{}
	for _, name := range names {
		at := root
		for part := range strings.SplitSeq(name, ".") {
			if at.whole {
				break
			}
			at = at.child(part)
		}
		at.whole, at.some = true, nil
	}
	return Fields{root}
}

func (s *selected) find(name string) *selected {
	for _, one := range s.some {
		if one.name == name {
			return one
		}
	}
	return nil
}

func (s *selected) child(name string) *selected {
	if one := s.find(name); one != nil {
		return one
	}
	one := &selected{name: name}
	s.some = append(s.some, one)
	return one
}

// All reports whether all fields are selected.
func (f Fields) All() bool { return f.root == nil }

// Of returns the selected fields of a valid JSON object, in its order. Like WordPress it
// empties a list if fields of its elements are selected, writes an object without members as
// [], and preserves the links of a response (recordings events/en/list-per_page-1000,
// index/en/namespace-fields).
func (f Fields) Of(body []byte) []byte {
	if f.All() {
		return body
	}
	s := &jsonscan.Scanner{Src: body}
	root := *f.root
	root.some = append(root.some[:len(root.some):len(root.some)], &selected{name: "_links", whole: true})
	return root.of(s, make([]byte, 0, len(body)))
}

// of appends the selected part of the next value.
func (s *selected) of(from *jsonscan.Scanner, out []byte) []byte {
	start := 0
	switch kind := from.Peek(); {
	case kind == '{' && !s.whole:
		return s.members(from, out)
	case kind == '[' && !s.whole:
		from.Skip()
		return append(out, "[]"...)
	default:
		start = from.Pos
		from.Skip()
	}
	return append(out, from.Src[start:from.Pos]...)
}

func (s *selected) members(from *jsonscan.Scanner, out []byte) []byte {
	opened := len(out)
	for ok := from.Enter('}'); ok; ok = from.More('}') {
		name := from.Name()
		one := s.find(string(jsonscan.Unquote(name)))
		if one == nil {
			from.Skip()
			continue
		}
		before := byte(',')
		if len(out) == opened {
			before = '{'
		}
		out = append(append(append(out, before, '"'), name...), `":`...)
		out = one.of(from, out)
	}
	if len(out) == opened {
		return append(out, "[]"...)
	}
	return append(out, '}')
}
