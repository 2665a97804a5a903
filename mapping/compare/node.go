package compare

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// maxDepth is the maximum depth of lists and objects, the depth that PHP writes.
const maxDepth = 512

// idName is the member that items are matched by.
const idName = "id"

// errNotComparable is the error of a document that is too deep, or repeats a name.
var errNotComparable = errors.New("not comparable")

// node is a JSON value of a document.
type node struct {
	kind  jsontext.Kind // '[' also for PHP's object that is a list with gaps; 0 for a document that is no JSON
	raw   []byte        // in the document's spelling
	name  string        // of a member
	inner []node        // members, or elements in order
	hash  uint64        // of the value by the rules; 0 before the first use
}

// parse reads a document. An object with repeated names is no JSON: clients would take one or the other.
func parse(body []byte) *node {
	s := jsonscan.NewScanner(body)
	n := new(node)
	n.read(s)
	if s.End() != nil {
		return &node{raw: body}
	}
	return n
}

// read reads the next value.
func (n *node) read(s *jsonscan.Scanner) {
	n.kind = s.Peek()
	if n.isScalar() {
		n.raw = s.Value()
		return
	}
	if s.Depth() == maxDepth {
		s.Err = errNotComparable
		return
	}
	start := len(s.Src) - len(bytes.TrimLeft(s.Src[s.Pos():], ",: \t\r\n"))
	isObject := n.kind == '{'
	gaps := isObject
	for name := range s.Parts() {
		inner := node{name: string(jsonscan.Unquote(name))}
		gaps = gaps && jsonscan.IsIndex(inner.name)
		inner.read(s)
		n.inner = append(n.inner, inner)
	}
	n.raw = s.Src[start:s.Pos()]
	if gaps && len(n.inner) > 0 {
		n.kind = '['
		slices.SortFunc(n.inner, compareIndexes)
	}
	if isObject && len(n.members()) < len(n.inner) {
		s.Err = errNotComparable
	}
}

// text returns a scalar: of a string the content, without quotes and escapes. Bytes that are no JSON may
// hold anything, and are not shown.
func (n *node) text() string {
	switch n.kind {
	case 0:
		return fmt.Sprintf("no JSON, %d bytes", len(n.raw))
	case '"':
		return string(jsonscan.Unquote(n.raw))
	}
	return string(n.raw)
}

func (n *node) isScalar() bool { return n.kind != '{' && n.kind != '[' }

// member returns a member of an object; nil without a member of that name.
func (n *node) member(name string) *node {
	i := slices.IndexFunc(n.inner, func(m node) bool { return m.name == name })
	if i >= 0 && n.kind == '{' {
		return &n.inner[i]
	}
	return nil
}

// compareIndexes orders members whose names are indexes as numbers: a shorter one is smaller.
func compareIndexes(a, b node) int {
	if len(a.name) != len(b.name) {
		return cmp.Compare(len(a.name), len(b.name))
	}
	return cmp.Compare(a.name, b.name)
}

// members returns all members of an object by name.
func (n *node) members() map[string]*node {
	byName := make(map[string]*node, len(n.inner))
	for i := range n.inner {
		byName[n.inner[i].name] = &n.inner[i]
	}
	return byName
}

// typeNames names JSON types as a report does, where jsontext does not.
var typeNames = map[jsontext.Kind]string{'{': "object", '[': "list", 't': "boolean", 'f': "boolean"}

func typeOf(kind jsontext.Kind) string {
	if name, ok := typeNames[kind]; ok {
		return name
	}
	return kind.String()
}
