package openapi

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// members is a JSON object whose members stay in order.
type members []member

type member struct {
	name  string
	value any
}

// MarshalJSONTo implements json.MarshalerTo.
func (m members) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, p := range m {
		if err := enc.WriteToken(jsontext.String(p.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(enc, p.value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// encode returns v as JSON. It panics for what does not encode.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("BUG: not encodable as JSON: " + err.Error())
	}
	return b
}

// get returns the value of a member; nil if there is none.
func (m members) get(name string) any {
	for i := range m {
		if m[i].name == name {
			return m[i].value
		}
	}
	return nil
}

// object returns the value of a member that is an object, or none.
func (m members) object(name string) members {
	o, _ := m.get(name).(members)
	return o
}

// with returns m with another value of a member that it has.
func (m members) with(name string, value any) members {
	out := slices.Clone(m)
	for i := range out {
		if out[i].name == name {
			out[i].value = value
		}
	}
	return out
}

// only returns the members of m for which chosen is true.
func (m members) only(chosen func(member) bool) members {
	out := members{}
	for _, inner := range m {
		if chosen(inner) {
			out = append(out, inner)
		}
	}
	return out
}
