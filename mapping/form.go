package mapping

import (
	"strconv"
	"strings"
)

// Pair is a name and a value of a form, decoded.
type Pair struct{ Name, Value string }

// DecodeForm reads a form that is encoded as a query is.
func DecodeForm(raw string) (Node, error) {
	n := Node{kind: object}
	if room := min(1+strings.Count(raw, "&"), usualPairs); raw != "" {
		n.names, n.items = make([]string, 0, room), make([]Node, 0, room)
	}
	pairs := 0
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		if pair == "" {
			continue
		}
		if pairs++; pairs > MaxPairs {
			return Node{}, ErrTooManyPairs
		}
		n.insertPair(pair)
	}
	return n, nil
}

func (n *Node) insertPair(pair string) {
	name, value, _ := strings.Cut(pair, "=")
	n.insert(unescape(name), Node{kind: rawText, text: unescape(value)})
}

// usualPairs bounds what is made ready for the pairs that a query seems to have.
const usualPairs = 16

// unescape decodes a part of a form.
func unescape(s string) string { return decodePercent(strings.ReplaceAll(s, "+", " "), nil) }

// DecodeUnreserved decodes the characters of a path that need no encoding (RFC 3986, 6.2.2.2).
func DecodeUnreserved(path string) string { return decodePercent(path, &unreserved) }

// decodePercent decodes the bytes of s that are wanted, nil for all. A percent sign without two
// hexadecimal digits stays, as in PHP.
func decodePercent(s string, wanted *[256]bool) string {
	i := strings.IndexByte(s, '%')
	if i < 0 {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:i]...)
	for ; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			if b, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil && (wanted == nil || wanted[b]) {
				c = byte(b)
				i += 2
			}
		}
		out = append(out, c)
	}
	return string(out)
}

// Convert replaces every text of a form by what convert returns for it, up to the first error.
func (n *Node) Convert(convert func(text string) (string, error)) (err error) {
	if n.kind == rawText {
		n.text, err = convert(n.text)
	}
	for i := range n.items {
		if err == nil {
			err = n.items[i].Convert(convert)
		}
	}
	return err
}

// DecodePairs makes the same of pairs that were decoded already (multipart).
func DecodePairs(pairs []Pair) (Node, error) {
	if len(pairs) > MaxPairs {
		return Node{}, ErrTooManyPairs
	}
	n := Node{kind: object}
	for _, p := range pairs {
		n.insert(p.Name, Node{kind: rawText, text: p.Value})
	}
	return n, nil
}

// insert puts leaf where name points, in PHP's notation: a, a[], a[0], a[b][c].
func (n *Node) insert(name string, leaf Node) {
	name, path, ok := splitName(name)
	if !ok {
		return
	}
	n.put(name, path, leaf)
}

func splitName(name string) (first string, rest []string, ok bool) {
	first, brackets, found := strings.Cut(name, "[")
	if !found || first == "" {
		return name, nil, name != ""
	}
	for brackets != "" {
		key, after, closed := strings.Cut(brackets, "]")
		if !closed || len(rest) == maxDepth {
			return "", nil, false
		}
		rest = append(rest, key)
		brackets = strings.TrimPrefix(after, "[")
	}
	return first, rest, true
}

func (n *Node) put(name string, path []string, leaf Node) {
	child := n.child(name)
	if len(path) == 0 {
		child.repeat(leaf)
		return
	}
	if child.kind == list || child.kind != object && IsDigits(path[0]) {
		child.become(list)
		child.append(path, leaf)
		return
	}
	child.become(object)
	if child.kind == object {
		child.put(path[0], path[1:], leaf)
	}
}

// append adds an element to a list. a[0][x]=1&a[0][y]=2 is one element: an index
// that was used before continues its element.
func (n *Node) append(path []string, leaf Node) {
	if n.kind != list {
		return
	}
	index, rest := path[0], path[1:]
	if index == "" || len(rest) == 0 {
		n.names = append(n.names, index)
		n.items = append(n.items, Node{})
		e := &n.items[len(n.items)-1]
		if len(rest) == 0 {
			*e = leaf
			return
		}
		e.become(object)
		e.put(rest[0], rest[1:], leaf)
		return
	}
	e := n.child(index)
	e.become(object)
	if e.kind == object {
		e.put(rest[0], rest[1:], leaf)
	}
}

// child returns the node of name, which it adds if there is none.
func (n *Node) child(name string) *Node {
	for i, have := range n.names {
		if have == name {
			return &n.items[i]
		}
	}
	n.names = append(n.names, name)
	n.items = append(n.items, Node{})
	return &n.items[len(n.items)-1]
}

// become sets the kind of a new node, and makes a list of a plain value that
// came before it (x=1&x[]=2).
func (n *Node) become(kind nodeKind) {
	switch {
	case n.kind == noNode:
		n.kind = kind
	case kind == list && n.kind == rawText:
		*n = Node{kind: list, names: []string{""}, items: []Node{*n}}
	case kind == list && n.kind == repetition:
		n.kind, n.names = list, make([]string, len(n.items))
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
	default: // an object: what PHP does with a[b]=1&a=2
		*n = leaf
	}
}
