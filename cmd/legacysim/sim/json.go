package sim

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
)

type member = mapping.Member

// object is a JSON object that preserves the order of members, as a PHP array does.
type object []member

// list is a JSON array.
type list []any

// listOf turns a slice into a list.
func listOf[T any](items []T) list { return each(items, func(item T) T { return item }) }

// each renders every item of a list.
func each[T, V any](items []T, render func(T) V) list {
	l := make(list, len(items))
	for i, item := range items {
		l[i] = render(item)
	}
	return l
}

// with appends a member and returns the object, for building in one go.
func (o object) with(name string, value any) object {
	return append(o, member{Name: name, Value: value})
}

// without returns the object less one member.
func (o object) without(name string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return m.Name == name })
}

// get is the value of a member; nil for a missing member.
func (o object) get(name string) any {
	for i := range o {
		if o[i].Name == name {
			return o[i].Value
		}
	}
	return nil
}

// lookup is the object that a path of members leads to; nil for a path that leads nowhere.
func (o object) lookup(path ...string) object {
	for _, name := range path {
		o, _ = o.get(name).(object)
	}
	return o
}

// set changes a member that is there.
func (o object) set(name string, value any) {
	for i := range o {
		if o[i].Name == name {
			o[i].Value = value
		}
	}
}

// present returns the object without members that are empty texts or false.
func (o object) present() object {
	return slices.DeleteFunc(o, func(m member) bool { return m.Value == "" || m.Value == false })
}

// hide replaces the values that a password protects: texts by the word, booleans by null, lists and objects
// by an empty list.
func (o object) hide(word string) object {
	for i, m := range o {
		switch m.Value.(type) {
		case string:
			o[i].Value = word
		case bool:
			o[i].Value = nil
		case list, object:
			o[i].Value = list{}
		}
	}
	return o
}

// pickEach selects members of an object, or of each of a list that is the whole answer.
func pickEach(v any, names []string) any {
	items, isList := v.(list)
	if !isList {
		return pick(v, names)
	}
	return each(items, func(item any) any { return pick(item, names) })
}

// pick selects the members of an object that _fields names; a.b is b in a. A list has only
// numbers for names, so that events.id leaves nothing of the list.
func pick(v any, names []string) any {
	o, isObject := v.(object)
	if _, isList := v.(list); isList {
		return list{}
	} else if !isObject {
		return v
	}
	out := object{}
	for _, m := range o {
		var subnames []string
		for _, name := range names {
			if inside, ok := strings.CutPrefix(name, m.Name+"."); ok {
				subnames = append(subnames, inside)
			}
		}
		switch {
		case slices.Contains(names, m.Name):
			out = append(out, m)
		case subnames != nil:
			out = out.with(m.Name, pick(m.Value, subnames))
		}
	}
	return out
}

// MarshalJSONTo implements json.MarshalerTo.
func (o object) MarshalJSONTo(enc *jsontext.Encoder) error {
	return mapping.Members(o).MarshalJSONTo(enc)
}

// encodeJSON panics if v cannot be encoded: all values are made here, and no value comes from a request.
func encodeJSON(v any, pretty bool) string {
	options := []json.Options{jsontext.AllowInvalidUTF8(true)}
	if pretty {
		options = append(options, jsontext.WithIndent("    "))
	}
	text, err := json.Marshal(v, options...)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return string(mapping.PHP(text))
}
