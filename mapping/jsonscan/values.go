package jsonscan

import (
	"bytes"
	"errors"
	"iter"
	"maps"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Errors of values of another type than the one that is read.
var (
	ErrNotList   = errors.New("not a JSON list")
	ErrNotObject = errors.New("not a JSON object")
)

// each yields the parts of a list or an object up to an error. Elements have no names.
func (s *Scanner) each(yield func(name string, v jsontext.Value) bool) {
	for name := range s.Parts() {
		v := s.Value()
		if s.Err != nil || !yield(string(Unquote(name)), v) {
			return
		}
	}
}

// Each yields the members of an object up to a syntax error; other values have no members. The yielded values are
// parts of object.
func Each(object []byte) iter.Seq2[string, jsontext.Value] { return members(object).each }

// members returns a scanner of an object; for another value one with an error.
func members(object []byte) *Scanner {
	s := NewScanner(object)
	if s.Peek() != '{' {
		s.Err = ErrNotObject
	}
	return s
}

// Get returns the value of a member of an object; nil for a missing member, or if object is
// no object.
func Get(object []byte, name string) jsontext.Value {
	for key, v := range Each(object) {
		if key == name {
			return v
		}
	}
	return nil
}

// Members returns the members of an object by name.
func Members(object []byte) (map[string]jsontext.Value, error) {
	s := members(object)
	values := maps.Collect(s.each)
	return values, s.Err
}

// IsIndex reports whether the name of a member is the index of an element: PHP writes a list
// from which a filter has removed an element as an object.
func IsIndex[T ~[]byte | ~string](name T) bool {
	for i := range len(name) { // strings.Trim builds a set of the digits for each name: 8 % of rewriting a list
		if name[i] < '0' || name[i] > '9' {
			return false
		}
	}
	return len(name) > 0
}

// Elements returns the elements of a list, also of one with gaps, which PHP writes as an object.
func Elements(list []byte) (elements []jsontext.Value, err error) {
	s := NewScanner(list)
	opening := s.Peek()
	for name, v := range s.each {
		if opening == '{' && !IsIndex(name) {
			return nil, ErrNotList
		}
		elements = append(elements, v)
	}
	if s.Err != nil || opening == '{' && len(elements) == 0 {
		return nil, ErrNotList
	}
	return elements, nil
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
	replaced := false
	for key, v := range Each(object) { // only valid objects are edited
		if key == name {
			replaced = true
			v = jsontext.Value(value)
		}
		out = append(out, Quote(key)+":"+string(v))
	}
	if !replaced {
		out = append(out, Quote(name)+":"+value)
	}
	return []byte("{" + strings.Join(out, ",") + "}")
}

// Text returns the text of a string, the digits of a number, and "" of anything else.
func Text(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return string(Unquote(v))
	case '0':
		return string(v)
	}
	return ""
}

// Unquote returns the text of a JSON string, without copying one that has no escapes. Unpaired surrogates
// become U+FFFD.
func Unquote(s jsontext.Value) []byte {
	last := len(s) - 1
	if last > 0 && bytes.IndexByte(s, '\\') < 0 {
		return s[1:last]
	}
	text, _ := jsontext.AppendUnquote(nil, s) // the error reports replaced characters
	return text
}

// Quote returns a text as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func Quote(s string) string {
	b, _ := jsontext.AppendQuote(nil, s) // the error reports replaced characters
	return string(b)
}

// IsValid reports whether data is one JSON value without trailing data.
func IsValid(data []byte) bool {
	s := NewScanner(data)
	s.Value()
	return s.End() == nil
}

// JSON may escape a slash as \/, which PHP does, an ampersand as \u0026, and any other
// character likewise. Strings are compared without these escapes.

// Unescape returns the inside of a string with its escapes of printable ASCII
// resolved. Escapes of quotes, backslashes, controls and other characters stay. slashed
// reports whether a slash was escaped.
func Unescape(s []byte) (plain []byte, slashed bool) {
	return AppendUnescaped(make([]byte, 0, len(s)), s)
}

// AppendUnescaped is [Unescape], and appends to plain.
func AppendUnescaped(plain, s []byte) (appended []byte, slashed bool) {
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(plain, s...), slashed
		}
		plain = append(plain, s[:i]...)
		s = s[i:]
		n := min(2, len(s))
		code := uint64(0) // 0 stays an escape
		switch {
		case n == 2 && s[1] == '/':
			code = '/'
		case len(s) >= 6 && s[1] == 'u':
			n = 6
			code, _ = strconv.ParseUint(string(s[2:n]), 16, 16)
		}
		if code < ' ' || code > '~' || code == '"' || code == '\\' {
			plain = append(plain, s[:n]...)
		} else {
			plain = append(plain, byte(code))
		}
		slashed = slashed || code == '/'
		s = s[n:]
	}
}
