package mapping

import (
	"fmt"
	"slices"
)

// Input is a request to an endpoint, not yet checked.
type Input struct {
	Item  string // the segment of the path at {id} or {slug}, percent-decoded
	Query Node   // an object; the zero Node where there is none
	Body  Node   // an object; the zero Node where there is none

	InLegacyNames bool // read as on the legacy, for a client that speaks the legacy's names
	Extensions    bool // the extensions of the row are parameters, for a client that speaks the neutral names
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
	i := slices.Index(n.names, name)
	if i >= 0 {
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
		item := &n.items[i]
		if n.names[i] == "" && item.kind == repetition {
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

// Without is an object without a member.
func (n Node) Without(name string) Node {
	i := slices.Index(n.names, name)
	if i >= 0 {
		n.names = slices.Delete(slices.Clone(n.names), i, i+1)
		n.items = slices.Delete(slices.Clone(n.items), i, i+1)
	}
	return n
}

// Has reports whether a form has a parameter, in any notation.
func (n Node) Has(name string) bool { return slices.Contains(n.names, name) }

// Text returns the last text of a parameter of a form; "" for a list.
func (n Node) Text(name string) string {
	node := n.lookup(name).last()
	if node.kind == rawText {
		return node.text
	}
	return ""
}

func (n *Node) add(name string, item Node) *Node {
	n.names = append(n.names, name)
	n.items = append(n.items, item)
	return &n.items[len(n.items)-1]
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
