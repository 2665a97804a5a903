package rewrite

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// reference rewrites with jsontext's tokens, each string independently: it remembers the page of
// the item alone. White space is lost.
type reference struct {
	rewriter *Rewriter
	call     *mapping.Call
	root     int
	dec      *jsontext.Decoder
}

func (r *reference) value(a *mapping.Attribute, current *item) []byte {
	switch kind := r.dec.PeekKind(); {
	case kind == '"' && a.Class != mapping.Prose:
		return r.alone(func(w *walker) { w.string(a, current, w.Value()) })
	case kind == '{' && a.Class == mapping.Relations:
		return r.alone((*walker).relations)
	case kind == '{' && a.Class != mapping.Prose:
		return r.values("{", "}", func() []byte {
			name, _ := r.dec.ReadValue()
			text, _ := jsontext.AppendUnquote(nil, name)
			head := append(slices.Clone(name), ':')
			return append(head, r.value(named(a.Shape, string(text)), current)...)
		}, &current)
	case kind == '[' && a.Class != mapping.Prose:
		return r.values("[", "]", func() []byte { return r.value(a, current) }, nil)
	}
	raw, _ := r.dec.ReadValue()
	return slices.Clone(raw)
}

// alone rewrites the next value with a new walker.
func (r *reference) alone(do func(*walker)) []byte {
	raw, _ := r.dec.ReadValue()
	w := walker{Scanner: jsonscan.NewScanner(slices.Clone(raw)), answer: r.rewriter.answer(r.call, r.root)}
	do(&w)
	return append(w.out, w.Src[w.copied:]...)
}

// values rewrites a list or an object. For an object that is an item, in is set to the item.
func (r *reference) values(opening, closing string, next func() []byte, current **item) []byte {
	if current != nil {
		*current = &item{}
	}
	_, _ = r.dec.ReadToken()
	out := []byte(opening)
	for kind := r.dec.PeekKind(); kind != 0 && kind != jsontext.Kind(closing[0]); kind = r.dec.PeekKind() {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, next()...)
	}
	_, _ = r.dec.ReadToken()
	return append(out, closing...)
}

func named(s *mapping.Shape, name string) *mapping.Attribute {
	if s == nil {
		return &mapping.OtherAttribute
	}
	if i := slices.IndexFunc(s.Attributes, func(a mapping.Attribute) bool { return a.Name == name }); i >= 0 {
		return &s.Attributes[i]
	}
	if s.Rest != nil {
		return s.Rest
	}
	return &mapping.OtherAttribute
}
