package sim

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
)

// member is one name and value of an object.
type member struct {
	name  string
	value any
}

// object is a JSON object that preserves its order, as a PHP array does.
type object []member

// with appends a member and returns the object, for building in one go.
func (o object) with(name string, value any) object {
	return append(o, member{name, value})
}

// list is a JSON array of anything encodeJSON knows.
type list []any

// listOf turns a slice into a list.
func listOf[T any](items []T) list {
	l := make(list, len(items))
	for i, v := range items {
		l[i] = v
	}
	return l
}

// encoder writes JSON as PHP's json_encode does: slashes and everything beyond
// ASCII are escaped, but &, < and > are not.
type encoder struct {
	strings.Builder
	pretty bool
	depth  int
}

// encodeJSON panics on an unknown type: all values are made here, and none comes from a
// request.
func encodeJSON(v any, pretty bool) string {
	e := &encoder{pretty: pretty}
	e.value(v)
	return e.String()
}

func (e *encoder) value(v any) {
	switch v := v.(type) {
	case nil:
		e.WriteString("null")
	case bool:
		e.WriteString(strconv.FormatBool(v))
	case int:
		e.WriteString(strconv.Itoa(v))
	case string:
		e.string(v)
	case object:
		e.group('{', '}', len(v), func(i int) { e.member(v[i]) })
	case list:
		e.group('[', ']', len(v), func(i int) { e.value(v[i]) })
	default:
		panic(fmt.Sprintf("BUG: cannot encode a %T", v))
	}
}

func (e *encoder) member(m member) {
	e.string(m.name)
	e.WriteByte(':')
	if e.pretty {
		e.WriteByte(' ')
	}
	e.value(m.value)
}

// group writes an array or object. An empty one has no line breaks, in PHP too.
func (e *encoder) group(open, end byte, n int, item func(int)) {
	e.WriteByte(open)
	e.depth++
	for i := range n {
		if i > 0 {
			e.WriteByte(',')
		}
		e.newline()
		item(i)
	}
	e.depth--
	if n > 0 {
		e.newline()
	}
	e.WriteByte(end)
}

func (e *encoder) newline() {
	if e.pretty {
		e.WriteByte('\n')
		e.WriteString(strings.Repeat("    ", e.depth))
	}
}

var jsonEscapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '/': `\/`,
	'\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`,
}

func (e *encoder) string(s string) {
	e.WriteByte('"')
	for _, r := range s {
		if r >= ' ' && r < 0x7f && r != '"' && r != '\\' && r != '/' {
			e.WriteByte(byte(r)) // nearly all, and what the speed depends on
			continue
		}
		e.escape(r)
	}
	e.WriteByte('"')
}

func (e *encoder) escape(r rune) {
	esc, ok := jsonEscapes[r]
	switch {
	case ok:
		e.WriteString(esc)
	case r == 0x7f:
		e.WriteByte(0x7f)
	case r > 0xffff:
		hi, lo := utf16.EncodeRune(r)
		fmt.Fprintf(e, `\u%04x\u%04x`, hi, lo)
	default:
		fmt.Fprintf(e, `\u%04x`, r)
	}
}

// without returns the object less one member.
func (o object) without(name string) object {
	var out object
	for _, m := range o {
		if m.name != name {
			out = append(out, m)
		}
	}
	return out
}
