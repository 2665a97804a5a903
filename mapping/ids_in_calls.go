package mapping

import (
	"bytes"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// names returns the resource whose ids are p's values; "" if they are none.
func (p *Param) names() string {
	if p.Names != "" {
		return p.Names
	}
	switch p.Kind {
	case Integer, Terms, Links:
		return p.Of
	}
	return ""
}

// outgoing is the call with the ids that the backend has.
func (m *IDs) outgoing(c *Call) *Call {
	if m == nil {
		return c
	}
	out := *c
	if c.Item != "" && !c.Endpoint.BySlug() {
		out.Item = m.There(c.Endpoint.Resource, c.Item)
	}
	out.Query, out.Fields = slices.Clone(c.Query), slices.Clone(c.Fields)
	for i := range out.Query {
		m.arg(&out.Query[i])
	}
	for i := range out.Fields {
		m.field(&out.Fields[i])
	}
	return &out
}

func (m *IDs) field(a *Written) {
	switch a.Param.Kind {
	case Terms, Links:
		a.JSON = m.inJSON(a.Param.names(), a.JSON)
	default:
		if m.arg(&a.Arg) && a.Param.Kind == Integer {
			a.JSON = a.Text
		}
	}
}

// arg translates the ids of a, and reports whether it may hold some.
func (m *IDs) arg(a *Arg) bool {
	resource := a.Param.names()
	if resource == "" {
		return false
	}
	texts := strings.Split(a.Text, ",")
	for i := range texts {
		texts[i] = m.There(resource, texts[i])
	}
	a.Text = strings.Join(texts, ",")
	return true
}

// inJSON translates the ids of a field: a number, {"id":number}, or a list of
// these. Whatever else is in it describes something new.
func (m *IDs) inJSON(resource, value string) string {
	w := jsonscan.Scanner{Src: []byte(value)}
	var out []byte
	copied := 0
	one := func() {
		start := w.Pos
		if c := w.Peek(); c < '0' || c > '9' {
			w.Skip()
			return
		}
		out = append(out, value[copied:start]...)
		out = append(out, m.There(resource, string(w.Number()))...)
		copied = w.Pos
	}
	var each func()
	each = func() {
		switch w.Peek() {
		case '[':
			for ok := w.Enter(']'); ok; ok = w.More(']') {
				each()
			}
		case '{':
			for ok := w.Enter('}'); ok; ok = w.More('}') {
				if string(w.Name()) == IDParam.Name {
					one()
				} else {
					w.Skip()
				}
			}
		default:
			one()
		}
	}
	each()
	if err := w.Err(); err != nil {
		panic("BUG: a field is no JSON: " + err.Error())
	}
	return string(append(out, value[copied:]...))
}

// LegacyPath translates the id of an item's path back, such as /events/12. What
// follows it stays.
func (m *IDs) LegacyPath(path []byte) []byte {
	if m == nil || len(path) == 0 {
		return path
	}
	resource, rest, _ := bytes.Cut(path[1:], []byte("/"))
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	if end == 0 || end < len(rest) && !bytes.ContainsRune([]byte("/?#"), rune(rest[end])) {
		return path
	}
	id := m.Legacy(string(resource), string(rest[:end]))
	return slices.Concat(path[:len(path)-len(rest)], []byte(id), rest[end:])
}
