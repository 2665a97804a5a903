package compare

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// documents are the two documents that are compared.
type documents struct {
	rules     *Comparer
	want, got *tree
}

// none is in place of a value that a document does not have.
const none = -1

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

// show is a value for people: what is in an object or a list is not shown.
func show(t *tree, i int, p *location) string {
	v := &t.values[i]
	switch {
	case v.kind == '{':
		return "object of " + strconv.Itoa(int(v.count))
	case v.kind == '[':
		return "list of " + strconv.Itoa(int(v.count))
	case p.is(masked):
		return hidden
	}
	return shown(string(t.text(i)))
}

// showBoth shows two values that differ.
func (d *documents) showBoth(a, b int, p *location) (want, got string) {
	scalar := func(t *tree, i int) bool { return t.values[i].kind != '{' && t.values[i].kind != '[' }
	if !scalar(d.want, a) || !scalar(d.got, b) || p.is(masked) {
		return show(d.want, a, p), show(d.got, b, p)
	}
	return around(string(d.want.text(a)), string(d.got.text(b)))
}

// typed is a value with its type, where that is what matters.
func typed(t *tree, i int, p *location) string {
	v := &t.values[i]
	if v.kind == '"' || v.kind == '0' {
		return shown(typeOf(v.kind) + " " + show(t, i, p))
	}
	return show(t, i, p)
}

// row shows in what order the elements of a list are.
func row(t *tree, list []int, inside *location, ids bool) string {
	var b strings.Builder
	for n, i := range list {
		p := inside
		if ids {
			i, _ = t.member(i, idName)
			p = inside.at([]byte(idName))
		}
		if n > 0 {
			b.WriteByte(',')
		}
		b.WriteString(show(t, i, p))
	}
	return b.String()
}
