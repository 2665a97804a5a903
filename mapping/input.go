package mapping

import "fmt"

// Limits of what a client may send, beside the sizes that the server checks.
const (
	MaxPairs  = 1000   // of a query or a form: PHP's max_input_vars
	MaxValues = 10_000 // of a body in JSON: one of two bytes takes 72 in memory; no list may have a tenth of it
	maxDepth  = 8      // of brackets in a name, of lists and objects in JSON
)

// ErrTooManyPairs reports that a query or a form has more pairs than the legacy reads.
var ErrTooManyPairs = fmt.Errorf("more than %d parameters", MaxPairs)

// ErrTooManyValues reports that a body in JSON has more values than any write needs.
var ErrTooManyValues = fmt.Errorf("more than %d values", MaxValues)

// Input is what a client sent to an endpoint, not yet checked.
type Input struct {
	Item  string // what the path has for {id} or {slug}, percent-decoded
	Query Query  // the zero Query where there is none
	Body  Node   // an object; the zero Node where there is none

	OldNames bool // read as the legacy reads it, for a client that speaks its names
}

// Node is a value as received: from a query or a form, where everything is text,
// or from JSON. The zero Node is no value.
type Node struct {
	kind  nodeKind
	text  string   // of a scalar; of a number its own digits, unless it is whole
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

// lookup returns the value of name, or the zero Node. It is not to be changed.
func (n *Node) lookup(name string) *Node {
	for i, have := range n.names {
		if have == name {
			return &n.items[i]
		}
	}
	return &nothing
}

// last returns what counts where one value is wanted: of a repetition the last,
// as in PHP.
func (n *Node) last() *Node {
	if n.kind == repetition {
		return &n.items[len(n.items)-1]
	}
	return n
}

// elements returns a list for what a query or a form names with words between the brackets:
// x[a]=1&x[b]=2. The words mean nothing; of repeated ones the last counts, as in PHP.
func (n *Node) elements() *Node {
	if n.kind != object || !n.isOfForm() {
		return n
	}
	made := &Node{kind: list}
	for i := range n.items {
		if item := &n.items[i]; n.names[i] == "" && item.kind == repetition {
			made.items = append(made.items, item.items...) // x[a]=1&x[]=2&x[]=3
		} else {
			made.items = append(made.items, *item.last())
		}
	}
	return made
}

// isOfForm reports whether a value is of a query or a form, and not of JSON.
func (n *Node) isOfForm() bool {
	for len(n.items) > 0 {
		n = &n.items[0]
	}
	return n.kind == rawText
}

func IsDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
