package mapping

import (
	"fmt"
	"slices"
	"unicode/utf16"
)

// The legacy has the names of the table, except for the namespace, the language parameter and machine names.
// The legacy reads filters of lists in another way: see [Endpoint.forLegacy]. This file is for clients that speak
// the legacy's names; package rewrite makes the responses.

// FromLegacy returns the query or the body of a client that speaks the names of b in the table's names, with
// the last of repeated values, as in PHP. Without a language parameter of b the result selects no language.
func (b API) FromLegacy(n Node) Node {
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
		node := n.lookup(name).last()
		if node.kind != noNode && node.text != input.Item {
			return true
		}
	}
	return false
}

// LegacyBody is [Faults.Body] in the form and the names of b.
func (f Faults) LegacyBody(v Texts, b API) (code string, body []byte) {
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
