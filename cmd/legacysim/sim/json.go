package sim

import (
	"slices"

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

// hide replaces the values that a password protects: texts by an empty one, booleans by null, lists and objects
// by an empty list.
func (o object) hide() object {
	for i, m := range o {
		switch m.Value.(type) {
		case string:
			o[i].Value = ""
		case bool:
			o[i].Value = nil
		case list, object:
			o[i].Value = list{}
		}
	}
	return o
}

// pick selects the members of an object that names has.
func pick(v any, names []string) any {
	o, isObject := v.(object)
	if !isObject {
		return v
	}
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return !slices.Contains(names, m.Name) })
}

// MarshalJSONTo implements json.MarshalerTo.
func (o object) MarshalJSONTo(enc *jsontext.Encoder) error {
	return mapping.Members(o).MarshalJSONTo(enc)
}

// encodeJSON panics if v cannot be encoded: all values are made here, and no value comes from a request.
func encodeJSON(v any) string {
	text, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return string(mapping.PHP(text))
}
