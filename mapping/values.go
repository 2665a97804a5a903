package mapping

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Errors of values of another type than the one that is read.
var (
	errNotList   = errors.New("not a JSON list")
	errNotObject = errors.New("not a JSON object")
)

// newDecoder returns a decoder of JSON that accepts duplicate names, as PHP may write them.
func newDecoder(data []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
}

// valueOf returns the value of a member of an object; nil if there is none, or if object is
// no object.
func valueOf(object []byte, name string) jsontext.Value {
	d := newDecoder(object)
	if tok, err := d.ReadToken(); err != nil || tok.Kind() != jsontext.KindBeginObject {
		return nil
	}
	for d.PeekKind() == jsontext.KindString {
		have, err := d.ReadToken()
		if err != nil {
			return nil
		}
		match := have.String() == name
		v, err := d.ReadValue()
		if err != nil {
			return nil
		}
		if match {
			return v.Clone()
		}
	}
	return nil
}

// eachMember calls f with each member of an object. The value is valid until f returns.
func eachMember(data []byte, f func(name string, v jsontext.Value) error) error {
	d := newDecoder(data)
	tok, err := d.ReadToken()
	if err != nil {
		return err
	}
	if tok.Kind() != '{' {
		return errNotObject
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		text := name.String()
		v, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := f(text, v); err != nil {
			return err
		}
	}
	return nil
}

// membersOf returns the members of an object by name.
func membersOf(object []byte) (map[string]jsontext.Value, error) {
	all := map[string]jsontext.Value{}
	err := eachMember(object, func(name string, v jsontext.Value) error {
		all[name] = v.Clone()
		return nil
	})
	return all, err
}

// elements returns the elements of a list.
func elements(list []byte) ([]jsontext.Value, error) {
	d := newDecoder(list)
	if tok, err := d.ReadToken(); err != nil || tok.Kind() != jsontext.KindBeginArray {
		return nil, errNotList
	}
	var all []jsontext.Value
	for d.PeekKind() != jsontext.KindEndArray {
		v, err := d.ReadValue()
		if err != nil {
			return nil, errNotList
		}
		all = append(all, v.Clone())
	}
	return all, nil
}

// listed returns the elements of a list, and another value as the only element.
func listed(v jsontext.Value) []jsontext.Value {
	if v.Kind() == '[' {
		items, _ := elements(v)
		return items
	}
	if len(v) == 0 {
		return nil
	}
	return []jsontext.Value{v}
}

// replaceMember returns an object with another value, JSON, for a member that it has.
func replaceMember(object []byte, name, value string) []byte {
	var out []string
	_ = eachMember(object, func(have string, v jsontext.Value) error { // only valid objects are edited
		if have == name {
			v = jsontext.Value(value)
		}
		out = append(out, quote(have)+":"+string(v))
		return nil
	})
	return []byte("{" + strings.Join(out, ",") + "}")
}

// textOf returns the text of a string, the digits of a number, and "" of anything else.
func textOf(v jsontext.Value) string {
	if len(v) == 0 {
		return ""
	}
	switch v.Kind() {
	case '"':
		return string(unquoted(v[1 : len(v)-1]))
	case '0':
		return string(v)
	}
	return ""
}

// unquoted returns the text of a string of which s is the inside, as it is written in JSON.
func unquoted(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	text, err := jsontext.AppendUnquote(nil, slices.Concat([]byte{'"'}, s, []byte{'"'}))
	if err != nil {
		return nil
	}
	return text
}

// quote returns a text, which must be UTF-8, as a JSON string.
func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic("BUG: text was checked for UTF-8 before: " + err.Error())
	}
	return string(b)
}

// isObject reports whether a valid JSON value is an object.
func isObject(valid []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(valid, " \t\r\n"), []byte("{"))
}

// isJSON reports whether data is one JSON value and nothing after it.
func isJSON(data []byte) bool {
	return jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true))
}
