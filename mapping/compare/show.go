package compare

import (
	"fmt"
	"strings"
)

// texts shows the two values of a difference.
func texts(kind Kind, p *location, a, b *node) (reference, candidate string) {
	switch {
	case kind == Order:
		return around(row(a, p.child(elements)), row(b, p.child(elements)))
	case kind == Missing:
		return label(a, p), ""
	case kind == Extra:
		return "", label(b, p)
	case kind == Type:
		return typed(a, p), typed(b, p)
	case a.isScalar() && b.isScalar() && !p.has(masked):
		return around(a.text(), b.text())
	}
	return show(a, p), show(b, p)
}

// row shows the order of the elements of a list.
func row(list *node, inside *location) string {
	labels := make([]string, len(list.inner))
	for i := range list.inner {
		labels[i] = label(&list.inner[i], inside)
	}
	return strings.Join(labels, ",")
}

// label returns the id of an item of a list, and the shown form of any other value.
func label(n *node, p *location) string {
	id := n.member(idName)
	isItem := len(p.steps) > 0 && p.steps[len(p.steps)-1] == elements
	if isItem && id != nil && !p.child(idName).has(ignored) {
		return show(id, p.child(idName))
	}
	return show(n, p)
}

// show returns a value for people, without the content of objects and lists.
func show(n *node, p *location) string {
	switch {
	case !n.isScalar():
		return fmt.Sprintf("%s of %d", typeOf(n.kind), len(n.inner))
	case p.has(masked):
		return hidden
	}
	return printable(n.text())
}

// typed is a value, with the type if the type matters.
func typed(n *node, p *location) string {
	if n.kind == '"' || n.kind == '0' {
		return printable(typeOf(n.kind) + " " + show(n, p))
	}
	return show(n, p)
}
