package mapping

import (
	"fmt"
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
		if pairs++; pairs > MaxPairs {
			return Node{}, ErrTooManyPairs
		}
		name, value, _ := strings.Cut(pair, "=")
		n.insert(unescape(name), unescape(value))
	}
	return n, nil
}

// unescape decodes a part of a form.
func unescape(s string) string { return decodePercent(strings.ReplaceAll(s, "+", " "), "") }

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

// Convert replaces every text of a form by the result of convert, up to the first error.
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
	if i := slices.Index(n.names, name); i >= 0 {
		return &n.items[i]
	}
	return n.add(name, Node{})
}

func (n *Node) add(name string, item Node) *Node {
	n.names = append(n.names, name)
	n.items = append(n.items, item)
	return &n.items[len(n.items)-1]
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

// Without is an object without a member.
func (n Node) Without(name string) Node {
	if i := slices.Index(n.names, name); i >= 0 {
		n.names = slices.Delete(slices.Clone(n.names), i, i+1)
		n.items = slices.Delete(slices.Clone(n.items), i, i+1)
	}
	return n
}

// Has reports whether a form has a parameter, in any notation.
func (n Node) Has(name string) bool { return slices.Contains(n.names, name) }

// Text returns the last text of a parameter of a form; "" for a list.
func (n Node) Text(name string) string {
	if node := n.lookup(name).last(); node.kind == rawText {
		return node.text
	}
	return ""
}

// Dropped returns the names in a request that the table does not have for e, in order and fit to be shown.
func (e *Endpoint) Dropped(input Input) []string {
	var names []string
	for _, name := range slices.Concat(input.Query.names, input.Body.names) {
		isNamed := slices.ContainsFunc(e.Args, func(param *Param) bool {
			return param.Name == name && param.In != InPath
		})
		if !isNamed {
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
	if r := []rune(name); len(r) > limit {
		name = string(r[:limit])
	}
	return name
}

// Limits of requests, beside the sizes that the server checks.
const (
	MaxPairs  = 1000   // of a query or a form: PHP's max_input_vars
	MaxValues = 10_000 // of a body in JSON: a value of two bytes takes 72 in memory; no list may have a tenth
	maxDepth  = 8      // of brackets in a name, of lists and objects in JSON
)

// ErrTooManyPairs reports that a query or a form has more pairs than the legacy reads.
var ErrTooManyPairs = fmt.Errorf("more than %d parameters", MaxPairs)

// ErrTooManyValues reports that a body in JSON has more values than any write needs.
var ErrTooManyValues = fmt.Errorf("more than %d values", MaxValues)

// Input is a request to an endpoint, not yet checked.
type Input struct {
	Item  string // the segment of the path at {id} or {slug}, percent-decoded
	Query Node   // an object; the zero Node where there is none
	Body  Node   // an object; the zero Node where there is none

	OldNames bool // read as on the legacy, for a client that speaks the legacy's names
}

// Node is a value as received: from a query or a form, where everything is text,
// or from JSON. The zero Node is no value.
type Node struct {
	kind  nodeKind
	text  string   // of a scalar; of a number the digits as sent, unless the number is whole
	names []string // of an object, parallel to items
	items []Node   // of an object, a list or a repetition
}

type nodeKind uint8

const (
	noNode     nodeKind = iota
	rawText             // of a query or a form, without a type
	repetition          // a name that is repeated in a query or a form
	jsonString
	jsonNumber
	jsonBoolean
	jsonNull
	list
	object
)

var nothing Node

// lookup returns the value of name, or the zero Node. Callers must not change the result.
func (n *Node) lookup(name string) *Node {
	if i := slices.Index(n.names, name); i >= 0 {
		return &n.items[i]
	}
	return &nothing
}

// last returns the value that counts if one value is wanted: of a repetition the last, as in PHP.
func (n *Node) last() *Node {
	if n.kind == repetition {
		return &n.items[len(n.items)-1]
	}
	return n
}

// elements returns a list for values that a query or a form names with words between the brackets:
// x[a]=1&x[b]=2. The words mean nothing; of repeated ones the last counts, as in PHP.
func (n *Node) elements() *Node {
	if n.kind != object || !n.isOfForm() {
		return n
	}
	elements := &Node{kind: list}
	for i := range n.items {
		if item := &n.items[i]; n.names[i] == "" && item.kind == repetition {
			elements.items = append(elements.items, item.items...) // x[a]=1&x[]=2&x[]=3
		} else {
			elements.items = append(elements.items, *item.last())
		}
	}
	return elements
}

// isOfForm reports whether a value comes from a query or a form, and not from JSON.
func (n *Node) isOfForm() bool {
	for len(n.items) > 0 {
		n = &n.items[0]
	}
	return n.kind == rawText
}
