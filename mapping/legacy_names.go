package mapping

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// The legacy has the names of the table, except for the namespace, the language parameter and machine names.
// This file is for clients that speak the legacy's names; package rewrite makes the responses.

// FromLegacy returns the query or the body of a client that speaks the names of b in the table's names, with
// the last of repeated values, as in PHP. Without a language parameter of b the result selects no language.
func (b Backend) FromLegacy(n Node) Node {
	neutral := Node{kind: n.kind}
	for i, name := range n.names {
		item := *n.items[i].last()
		switch {
		case name == Language.Name:
			continue // unknown to the legacy
		case name == b.LanguageParam && name != "":
			name = Language.Name
			for code, word := range b.Languages {
				if item.text == word {
					item.text = code
					break
				}
			}
		}
		neutral.add(name, item)
	}
	return neutral
}

// Overrides reports whether a request in the legacy's names has, in query or body, another value of a parameter
// than the path. In the legacy that value replaces the value of the path (recording
// events/en/single-id-in-query-wins).
func (input Input) Overrides(name string) bool {
	for _, n := range []Node{input.Query, input.Body} {
		if node := n.lookup(name).last(); node.kind != noNode && node.text != input.Item {
			return true
		}
	}
	return false
}

// LegacyBody is [Faults.Body] in the form and the names of b.
func (f Faults) LegacyBody(v Texts, b Backend) (code string, body []byte) {
	named := slices.Clone(f)
	for i := range named {
		if named[i].Param == Language.Name && b.LanguageParam != "" {
			named[i].Param = b.LanguageParam
		}
	}
	code, body = named.body(v, true)
	return code, PHP(body)
}

// PHP returns valid JSON with the escapes that PHP writes: slashes, and all beyond ASCII.
func PHP(valid []byte) []byte {
	out := make([]byte, 0, len(valid)+len(valid)/8)
	for _, c := range string(valid) {
		switch {
		case c == '/':
			out = append(out, `\/`...)
		case c <= 0x7f:
			out = append(out, byte(c))
		default:
			for _, unit := range utf16.AppendRune(nil, c) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
	}
	return out
}

// asLegacy returns the value of a filter that the legacy reads: statuses can be a list, a text
// cannot be empty, and an element of a list is not split.
func (p *Param) asLegacy(n *Node) (*Node, *Fault) {
	isSet := p.Kind == IDSet || p.Kind == TermSet
	switch {
	case p.Kind == Text && p.Enum == nil && n.kind == rawText && n.text == "":
		return n, p.emptyFault()
	case n.kind != list && n.kind != object || !isSet && p.Known == nil:
		return n, nil
	}
	var texts []string
	for _, e := range n.elements().items {
		if e.kind != rawText || isSet && strings.Contains(e.text, ",") {
			return n, p.wrongType("array")
		}
		texts = append(texts, e.text)
	}
	return &Node{kind: rawText, text: strings.Join(texts, ",")}, nil
}

// asSent restores the order in which lists were sent: the legacy shows that order in links (recording
// events/en/list-include-array), or applies only the first value (see package tribe). With include the legacy
// has a separate window of dates (recording events/en/list-include-far-future): see [Call.lifts].
func (p *parser) asSent() {
	for i, a := range p.call.Query {
		if a.Param.Kind != IDSet && !a.Param.FirstAlone {
			continue
		}
		texts, fault := a.Param.members(p.find(a.Param))
		if fault != nil {
			panic("BUG: a filter that was parsed: " + fault.Reason)
		}
		p.call.Query[i].Text = strings.Join(texts, ",")
	}
}
