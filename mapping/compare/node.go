package compare

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// maxDepth is the maximum depth of lists and objects: what PHP writes.
const maxDepth = 512

// idName is the member that items are matched by.
const idName = "id"

// node is a JSON value of a document.
type node struct {
	kind  jsontext.Kind // '[' for an object that is a list with gaps, as PHP writes it
	raw   []byte        // as it is written
	name  string        // of a member
	inner []node        // members or elements
	hash  uint64        // of the value by the rules; 0 where it is not known yet
}

// parse reads a document; nil if it is no JSON. Repeated names in an object are not read: clients
// would take one or the other.
func parse(body []byte) *node {
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true)) // and unpaired surrogates
	n := new(node)
	if !n.read(d, body) || int(d.InputOffset()) != len(bytes.TrimRight(body, " \t\r\n")) {
		return nil
	}
	return n
}

func (n *node) read(d *jsontext.Decoder, body []byte) bool {
	n.kind = d.PeekKind()
	if n.kind != '{' && n.kind != '[' {
		raw, err := d.ReadValue()
		end := int(d.InputOffset())
		n.raw = body[end-len(raw) : end]
		return err == nil
	}
	if _, err := d.ReadToken(); err != nil || d.StackDepth() > maxDepth {
		return false
	}
	isObject, start, gaps := n.kind == '{', d.InputOffset()-1, n.kind == '{'
	for closing := n.kind + 2; d.PeekKind() != closing; {
		var inner node
		if isObject {
			name, err := d.ReadValue()
			if err != nil {
				return false
			}
			inner.name = string(jsonscan.Unquote(name[1 : len(name)-1]))
			gaps = gaps && jsonscan.IsIndex([]byte(inner.name))
		}
		if !inner.read(d, body) {
			return false
		}
		n.inner = append(n.inner, inner)
	}
	_, err := d.ReadToken()
	n.raw = body[start:d.InputOffset()]
	if gaps && len(n.inner) > 0 {
		n.kind = '['
	}
	return err == nil
}

// text returns a scalar: of a string its content, without quotes and escapes.
func (n *node) text() string {
	if n.kind == '"' {
		return string(jsonscan.Unquote(n.raw[1 : len(n.raw)-1]))
	}
	return string(n.raw)
}

func (n *node) isScalar() bool { return n.kind != '{' && n.kind != '[' }

// member returns a member of an object; nil if it has none of that name.
func (n *node) member(name string) *node {
	if n.kind == '{' {
		for i := range n.inner {
			if n.inner[i].name == name {
				return &n.inner[i]
			}
		}
	}
	return nil
}

// members returns all members of an object by their names.
func (n *node) members() map[string]*node {
	all := make(map[string]*node, len(n.inner))
	for i := range n.inner {
		all[n.inner[i].name] = &n.inner[i]
	}
	return all
}

// typeOf names a JSON type.
func typeOf(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "object"
	case '[':
		return "list"
	case '"':
		return "string"
	case '0':
		return "number"
	case 'n':
		return "null"
	}
	return "boolean"
}
