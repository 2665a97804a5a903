package mapping

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// DecodeForm reads a query, or a form in the same encoding.
func DecodeForm(raw string) (Node, error) {
	room := min(len(raw), strings.Count(raw, "&")+1, usualArgs) // a client may send many pairs
	n := Node{kind: object, names: make([]string, 0, room), items: make([]Node, 0, room)}
	pairs := 0
	for pair := range strings.SplitSeq(raw, "&") {
		if pair == "" {
			continue
		}
		pairs++
		if pairs > MaxPairs {
			return Node{}, ErrTooManyPairs
		}
		name, value, _ := strings.Cut(pair, "=")
		n.insert(unescape(name), unescape(value))
	}
	return n, nil
}

// usualArgs is the number of parameters of most calls, with the defaults.
const usualArgs = 8

// unescape decodes a part of a form.
func unescape(s string) string { return decodePercent(strings.ReplaceAll(s, "+", " "), "") }

// unreserved has the bytes that a URL has unescaped (RFC 3986, 2.3).
const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

// DecodeUnreserved decodes the characters of a path that need no encoding (RFC 3986, 6.2.2.2).
func DecodeUnreserved(path string) string { return decodePercent(path, unreserved) }

// decodePercent decodes the bytes of s that are wanted, "" for all. A percent sign without two
// hexadecimal digits stays, as in PHP.
func decodePercent(s, decodable string) string {
	i := strings.IndexByte(s, '%')
	if i < 0 {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:i]...)
	for ; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			if b, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil && (decodable == "" || strings.IndexByte(decodable, byte(b)) >= 0) {
				c = byte(b)
				i += 2
			}
		}
		out = append(out, c)
	}
	return string(out)
}

// insert puts a text where name points, in PHP's notation: a, a[], a[0], a[b][c].
func (n *Node) insert(name, text string) {
	first, brackets, nested := strings.Cut(name, "[")
	var path []string
	for first != "" && nested && brackets != "" {
		key, suffix, closed := strings.Cut(brackets, "]")
		if !closed || len(path) == maxDepth {
			return
		}
		path = append(path, key)
		brackets = strings.TrimPrefix(suffix, "[")
	}
	if first == "" {
		first = name // the name begins with a bracket
	}
	if first != "" {
		n.child(first).put(path, Node{kind: rawText, text: text})
	}
}

// put adds a leaf below n. a[0][x]=1&a[0][y]=2 is one element of a list: an index that was used before
// continues the element, which is an object.
func (n *Node) put(path []string, leaf Node) {
	isElement := false
	for i, key := range path {
		isElement = !isElement && (n.kind == list || n.kind != object && (key == "" || jsonscan.IsIndex(key)))
		kind := object
		if isElement {
			kind = list
		}
		n.become(kind)
		if n.kind != kind {
			return
		}
		switch {
		case isElement && i == len(path)-1:
			n.add(key, leaf)
			return
		case isElement && key == "":
			n = n.add(key, Node{})
		default:
			n = n.child(key)
		}
	}
	n.repeat(leaf)
}

// child returns the node of name, and adds a missing node.
func (n *Node) child(name string) *Node {
	i := slices.Index(n.names, name)
	if i >= 0 {
		return &n.items[i]
	}
	return n.add(name, Node{})
}

// become sets the kind of a new node, and turns a preceding plain value into a list (x=1&x[]=2).
func (n *Node) become(kind nodeKind) {
	switch {
	case n.kind == noNode:
		n.kind = kind
	case kind == list && n.kind == rawText:
		*n = Node{kind: list, names: []string{""}, items: []Node{*n}}
	case kind == list && n.kind == repetition:
		n.kind = list
		n.names = make([]string, len(n.items))
	}
}

func (n *Node) repeat(leaf Node) {
	switch n.kind {
	case noNode:
		*n = leaf
	case repetition, list:
		n.names = append(n.names, "")
		n.items = append(n.items, leaf)
	case rawText:
		*n = Node{kind: repetition, items: []Node{*n, leaf}}
	default: // an object: as PHP reads a[b]=1&a=2
		*n = leaf
	}
}

// NonceParam is the parameter that has the nonce of a request without the header X-WP-Nonce. A nonce is a
// credential and not a parameter of any endpoint.
const NonceParam = "_wpnonce"

// extensions returns the extensions of e that are parameters of the input.
func (input Input) extensions(e *Endpoint) []*Param {
	if !input.Extensions || input.InLegacyNames {
		return nil
	}
	return e.Extensions
}

// Dropped returns the names in a request that the table does not have for e, in order and fit to be shown.
func (e *Endpoint) Dropped(input Input) []string {
	var names []string
	for _, name := range slices.Concat(input.Query.names, input.Body.names) {
		isNamed := func(param *Param) bool { return param.Name == name && param.In != InPath }
		if !slices.ContainsFunc(e.Args, isNamed) && !slices.ContainsFunc(input.extensions(e), isNamed) {
			names = append(names, printable(name))
		}
	}
	return names
}

// printable makes a name that a client chose short and harmless enough to be sent back.
func printable(name string) string {
	const limit = 64
	name = strings.Map(func(r rune) rune {
		if isControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, name)
	r := []rune(name)
	if len(r) > limit {
		name = string(r[:limit])
	}
	return name
}

// isControl reports the characters that no text of a calendar has. Tab and line
// ends belong to descriptions.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f
}
