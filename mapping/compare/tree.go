package compare

import (
	"bytes"
	"iter"
	"math"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// maxDepth is the maximum depth of lists and objects: what PHP writes.
const maxDepth = 512

// value is one JSON value of a document, by its position.
type value struct {
	kind       jsontext.Kind
	start, end uint32 // in the body
	after      uint32 // the index of the value behind it and all that is in it
	count      uint32 // members or elements in it
}

// tree is a document as a list of its values in the order of the text: an object is
// followed by a name, its value, a name and so on, a list by its elements. That is
// a fifth of the memory that a tree of pointers takes, in one piece.
type tree struct {
	body   []byte
	values []value
	hashes []uint64 // of what each value is by the rules; 0 where it is not known yet
}

// perValue is about how many bytes of a document hold one value or name.
const perValue = 12

// parse reads a document; nil if it is no JSON. Repeated names in an object
// are not read: clients would take one or the other.
func parse(body []byte) *tree {
	if len(body) > math.MaxInt32 {
		return nil
	}
	t := &tree{body: body, values: make([]value, 0, len(body)/perValue+1)}
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true)) // and unpaired surrogates
	if !t.read(d) || int(d.InputOffset()) != len(bytes.TrimRight(body, " \t\r\n")) {
		return nil
	}
	return t
}

func (t *tree) read(d *jsontext.Decoder) bool {
	kind := d.PeekKind()
	if kind != '{' && kind != '[' {
		return t.scalar(d, kind)
	}
	if _, err := d.ReadToken(); err != nil || d.StackDepth() > maxDepth {
		return false
	}
	at := len(t.values)
	t.values = append(t.values, value{kind: kind, start: uint32(d.InputOffset()) - 1})
	count := uint32(0)
	for closing := kind + 2; d.PeekKind() != closing; count++ {
		if kind == '{' && !t.scalar(d, '"') || !t.read(d) {
			return false
		}
	}
	_, err := d.ReadToken()
	v := &t.values[at]
	v.end, v.after, v.count = uint32(d.InputOffset()), uint32(len(t.values)), count
	if kind == '{' && count > 0 && t.hasIndexes(at) {
		v.kind = '['
	}
	return err == nil
}

// hasIndexes reports whether an object is a list with gaps, as PHP writes it.
func (t *tree) hasIndexes(object int) bool {
	for i := range t.members(object) {
		if !jsonscan.IsIndex(t.text(i)) {
			return false
		}
	}
	return true
}

func (t *tree) scalar(d *jsontext.Decoder, kind jsontext.Kind) bool {
	raw, err := d.ReadValue()
	if err != nil {
		return false
	}
	end := uint32(d.InputOffset())
	t.values = append(t.values, value{kind: kind, start: end - uint32(len(raw)), end: end, after: uint32(len(t.values)) + 1})
	return true
}

// raw is the value i as it is written.
func (t *tree) raw(i int) []byte { return t.body[t.values[i].start:t.values[i].end] }

// text returns the scalar i: of a string its content, without quotes and escapes.
func (t *tree) text(i int) []byte {
	raw := t.raw(i)
	if raw[0] != '"' {
		return raw
	}
	return jsonscan.Unquote(raw[1 : len(raw)-1])
}

// members returns the indexes of the names of an object; each value is behind its name.
func (t *tree) members(object int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := object + 1; i < int(t.values[object].after); i = int(t.values[i+1].after) {
			if !yield(i) {
				return
			}
		}
	}
}

// elements are the indexes of the elements of a list.
func (t *tree) elements(list int) []int {
	out := make([]int, 0, t.values[list].count)
	if t.body[t.values[list].start] == '{' { // with gaps
		for i := range t.members(list) {
			out = append(out, i+1)
		}
		return out
	}
	for i := list + 1; i < int(t.values[list].after); i = int(t.values[i].after) {
		out = append(out, i)
	}
	return out
}

// member finds a value of an object by its name.
func (t *tree) member(object int, name string) (int, bool) {
	if t.values[object].kind != '{' {
		return 0, false
	}
	for i := range t.members(object) {
		if string(t.text(i)) == name {
			return i + 1, true
		}
	}
	return 0, false
}

// names finds all values of an object by their names.
func (t *tree) names(object int) map[string]int {
	out := make(map[string]int, t.values[object].count)
	for i := range t.members(object) {
		out[string(t.text(i))] = i + 1
	}
	return out
}

// idName is the member that items are matched by.
const idName = "id"
