package jsonscan

import (
	"bytes"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Errors of values of another type than the one that is read.
var (
	ErrNotList   = errors.New("not a JSON list")
	ErrNotObject = errors.New("not a JSON object")
)

// parts yields the members of an object or the elements of a list, as opening has it, up to a syntax
// error, and none of another value. Elements have no names. The values are parts of Src.
func (s *Scanner) parts(opening byte) iter.Seq2[string, jsontext.Value] {
	return func(yield func(name string, v jsontext.Value) bool) {
		if s.Peek() != opening || opening != '{' && opening != '[' {
			s.Fail()
			return
		}
		for ok := s.Enter(opening + 2); ok; ok = s.More(opening + 2) { // in ASCII
			name := ""
			if opening == '{' {
				name = string(Unquote(s.Name()))
			}
			s.Peek()
			start := s.Pos
			if s.Skip(); s.Err != nil || !yield(name, s.Src[start:s.Pos:s.Pos]) {
				return
			}
		}
	}
}

// Each yields the members of an object up to a syntax error, and none of another value.
func Each(object []byte) iter.Seq2[string, jsontext.Value] { return (&Scanner{Src: object}).parts('{') }

// Get returns the value of a member of an object; nil if there is none, or if object is
// no object.
func Get(object []byte, name string) jsontext.Value {
	for have, v := range Each(object) {
		if have == name {
			return v
		}
	}
	return nil
}

// Members returns the members of an object by name.
func Members(object []byte) (map[string]jsontext.Value, error) {
	s := Scanner{Src: object}
	if s.Peek() != '{' {
		return nil, ErrNotObject
	}
	all := maps.Collect(s.parts('{'))
	return all, s.Err
}

// IsIndex reports whether the name of a member is the index of an element: PHP writes a list
// from which a filter has removed an element as an object.
func IsIndex[T ~[]byte | ~string](name T) bool {
	for i := range len(name) {
		if name[i] < '0' || name[i] > '9' {
			return false
		}
	}
	return len(name) > 0
}

// Elements returns the elements of a list, also of one with gaps, which PHP writes as an object.
func Elements(list []byte) (all []jsontext.Value, err error) {
	s := Scanner{Src: list}
	opening := s.Peek()
	for name, v := range s.parts(opening) {
		if opening == '{' && !IsIndex(name) {
			return nil, ErrNotList
		}
		all = append(all, v)
	}
	if s.Err != nil || opening == '{' && len(all) == 0 {
		return nil, ErrNotList
	}
	return all, nil
}

// AsList returns the elements of a list, and another value as the only element.
func AsList(v jsontext.Value) []jsontext.Value {
	items, err := Elements(v)
	if err != nil && len(v) > 0 {
		return []jsontext.Value{v}
	}
	return items
}

// List returns values as a list.
func List[V ~[]byte | ~string](items []V) string {
	texts := make([]string, len(items))
	for i, v := range items {
		texts[i] = string(v)
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// With returns an object, or one without members for nil, with value, JSON, as the value of a member.
func With(object []byte, name, value string) []byte {
	var out []string
	found := false
	for have, v := range Each(object) { // only valid objects are edited
		if have == name {
			found, v = true, jsontext.Value(value)
		}
		out = append(out, Quote(have)+":"+string(v))
	}
	if !found {
		out = append(out, Quote(name)+":"+value)
	}
	return []byte("{" + strings.Join(out, ",") + "}")
}

// Text returns the text of a string, the digits of a number, and "" of anything else.
func Text(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return string(Unquote(v[1 : len(v)-1]))
	case '0':
		return string(v)
	}
	return ""
}

// Unquote returns the text of a string whose inside is s, as it is written in JSON. Unpaired
// surrogates become U+FFFD.
func Unquote(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	text, _ := jsontext.AppendUnquote(nil, slices.Concat([]byte{'"'}, s, []byte{'"'})) // the error reports replaced characters
	return text
}

// Quote returns a text as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func Quote(s string) string {
	b, _ := jsontext.AppendQuote(nil, s) // the error reports replaced characters
	return string(b)
}

// IsValid reports whether data is one JSON value and nothing after it.
func IsValid(data []byte) bool {
	s := Scanner{Src: data}
	s.Skip()
	s.End()
	return s.Err == nil
}
