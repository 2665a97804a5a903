package view

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Of returns the body of a successful response to c in the view of c. All bytes of the members that stay are the
// bytes of body, except for plain texts, and for the links of a list to its pages, which name the view too.
func Of(c *mapping.Call, body []byte) ([]byte, error) {
	m := maker{Scanner: jsonscan.NewScanner(body), call: c, plain: c.View.Plain(), query: []byte(c.View.Query())}
	m.out = make([]byte, 0, len(body)/4)
	top := mapping.Attribute{Class: mapping.Object, Shape: c.Endpoint.Result}
	if c.Endpoint.Action == mapping.List {
		m.items = c.Endpoint.Resource
		m.selected = selectionOf(c.View.Fields())
		m.value(&top, nil)
	} else {
		m.value(&top, selectionOf(c.View.Fields()))
	}
	if err := m.End(); err != nil {
		return nil, fmt.Errorf("the view of a response: %w", err)
	}
	m.flush(len(m.Src))
	return m.out, nil
}

// Links returns the value of the header field Link of a list with links that name the view of c too.
func Links(c *mapping.Call, field string) string {
	return strings.ReplaceAll(field, `>; rel="`, c.View.Query()+`>; rel="`)
}

// selection has the selected members of an object, with the selection of each; nil selects all.
type selection map[string]selection

// selectionOf returns the selection of sorted paths with dots.
func selectionOf(paths []string) selection {
	if paths == nil {
		return nil
	}
	parts := map[string][]string{}
	for _, path := range paths {
		name, part, hasPart := strings.Cut(path, ".")
		parts[name] = append(parts[name], nil...)
		if hasPart {
			parts[name] = append(parts[name], part)
		}
	}
	s := selection{}
	for name := range parts {
		s[name] = selectionOf(parts[name])
	}
	return s
}

// maker copies a response to out, and leaves out what the view does not show.
type maker struct {
	*jsonscan.Scanner
	call     *mapping.Call
	plain    bool
	query    []byte    // of the view, for links to pages of a list
	items    string    // name of the member with the items of a list; "" for an item
	selected selection // of these items
	out      []byte
	copied   int // offset in Src up to which out is complete
}

// flush copies Src up to an offset.
func (m *maker) flush(end int) {
	m.out = append(m.out, m.Src[m.copied:end]...)
	m.copied = end
}

// splice begins to replace the last n bytes of Src that were read.
func (m *maker) splice(n int) {
	m.flush(m.Pos() - n)
	m.copied = m.Pos()
}

// value reads the next value, which has the attribute a. Lists inside of lists are copied.
func (m *maker) value(a *mapping.Attribute, members selection) {
	if m.Peek() != '[' || !m.changes(members) {
		m.element(a, members)
		return
	}
	for range m.Parts() {
		m.element(a, members)
	}
}

// changes reports whether a value may differ in a view that shows members of the value.
func (m *maker) changes(members selection) bool { return members != nil || m.plain || m.Depth() == 0 }

// element reads a value that is no list, or is copied.
func (m *maker) element(a *mapping.Attribute, members selection) {
	kind := m.Peek()
	switch {
	case kind == '{' && a.Class == mapping.Object && m.changes(members):
		m.object(a, members)
	case kind == '"' && a.HTML && m.plain:
		m.text()
	case kind == '"' && isPageLink(a):
		m.link()
	default:
		m.Value()
	}
}

// object reads an object, and shows the selected members.
func (m *maker) object(a *mapping.Attribute, members selection) {
	if members != nil {
		m.flush(m.Pos() + bytes.IndexByte(m.Src[m.Pos():], '{') + 1)
	}
	next := 0
	separator := ""
	for quoted := range m.Parts() {
		begin := m.Pos() - len(quoted)
		name := jsonscan.Unquote(quoted)
		isElement := a.IsList() && jsonscan.IsIndex(name) // PHP writes a list with gaps as an object
		inner := a
		parts := members
		isShown := true
		if !isElement {
			inner, next = a.Shape.Find(name, next)
			parts, isShown = m.partsOf(inner, name, members)
		}
		if !isShown {
			m.Value()
			continue
		}
		if members != nil {
			m.out = append(m.out, separator...)
			m.copied = begin
			separator = ","
		}
		m.value(inner, parts)
		if members != nil && m.Err == nil {
			m.flush(m.Pos())
		}
	}
	if members != nil && m.Err == nil {
		m.out = append(m.out, '}')
		m.copied = m.Pos()
	}
}

// partsOf returns the selection of the parts of a member, and whether the member is shown: of a list all members, and
// of the items the selection of the view.
func (m *maker) partsOf(a *mapping.Attribute, name []byte, members selection) (parts selection, isShown bool) {
	switch {
	case m.items != "" && m.Depth() == 1 && a.Name == m.items:
		return m.selected, true
	case members == nil:
		return nil, true
	}
	parts, isShown = members[string(name)]
	return parts, isShown
}

// text replaces a string in HTML.
func (m *maker) text() {
	quoted := m.Value()
	plain, changed := Plain(jsonscan.Unquote(quoted))
	if m.Err == nil && changed {
		m.splice(len(quoted))
		m.out = append(m.out, jsonscan.Quote(plain)...)
	}
}

// isPageLink reports whether an attribute is a link of a list to one of its pages.
func isPageLink(a *mapping.Attribute) bool {
	return a.Class == mapping.ThisPage || a.Class == mapping.NextPage || a.Class == mapping.PreviousPage
}

// link adds the view to a link, which has a query.
func (m *maker) link() {
	m.Value()
	if m.Err == nil {
		m.flush(m.Pos() - 1)
		m.out = append(m.out, m.query...)
	}
}
