package compare

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
)

// seed makes the hashes unpredictable: no site can construct two documents that collide.
var seed = maphash.MakeSeed()

// equal reports whether two values at a location are the same by the rules, or both are nil.
func (c *Comparer) equal(a, b *node, p *location) bool {
	if a == nil || b == nil {
		return a == b
	}
	return c.hash(a, p) == c.hash(b, p)
}

// hash is the same for two values that are the same by the rules, and another for
// any two that are not, with a probability of collisions of 64 bits. Each value of a document is
// looked at once.
func (c *Comparer) hash(n *node, p *location) uint64 {
	switch {
	case n.hash != 0:
		return n.hash
	case n.isScalar():
		n.hash = maphash.Comparable(seed, c.scalar(n))
		return n.hash
	case len(n.inner) == 0 && p.has(empty):
		return 1
	}
	parts := make([]uint64, 0, len(n.inner))
	for i := range n.inner {
		child := &n.inner[i]
		step := elements
		if n.kind == '{' {
			step = child.name
		}
		inside := p.child(step)
		if !inside.has(ignored) {
			parts = append(parts, maphash.Comparable(seed, part{step: step, hash: c.hash(child, inside)}))
		}
	}
	if n.kind == '{' || p.has(set) {
		slices.Sort(parts)
	}
	n.hash = maphash.String(seed, fmt.Sprint(n.kind, parts))
	return n.hash
}

// part is a member or an element.
type part struct {
	step string
	hash uint64
}

// scalar returns the form of a value; a nil value is absent. Values that are the same by the rules have the
// same form.
func (c *Comparer) scalar(n *node) Scalar {
	switch {
	case n == nil:
		return Scalar{}
	case n.kind == '"':
		return Scalar{Kind: n.kind, Text: c.withoutHosts(n.text())}
	case n.kind == '0':
		return Scalar{Kind: n.kind, Text: number(n.text())}
	case n.isScalar():
		return Scalar{Kind: n.kind, Text: string(n.raw)}
	}
	return Scalar{Kind: n.kind}
}

// maxDigits is the length of numbers that a float64 distinguishes.
const maxDigits = 15

// number is one form for all spellings of a number. A long number has only one spelling.
func number(s string) string {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || len(s) > maxDigits {
		return s
	}
	return strconv.FormatFloat(f+0, 'g', -1, 64) // no -0
}
