package rewrite

import "github.com/calfacade/calfacade/mapping/jsonscan"

// relations preserves, of _links, the targets inside the namespace. Relations with
// none left go, and so do the others' abbreviations (curies).
func (w *walker) relations() {
	w.splice(w.Pos)
	if w.delta != nil {
		defer w.relationsReplaced(len(w.out), w.Pos)
	}
	w.out = append(w.out, '{')
	first := len(w.out)
	for ok := w.Enter('}'); ok; ok = w.More('}') {
		before := len(w.out)
		name := w.Name()
		if before > first {
			w.out = append(w.out, ',')
		}
		w.out = append(w.out, '"')
		w.out = append(w.out, name...)
		w.out = append(w.out, `":`...)
		if !w.targets() {
			w.out = w.out[:before]
		}
	}
	w.out = append(w.out, '}')
	w.copied = w.Pos
}

// targets reads the list of a relation, and reports whether it has something of
// the namespace.
func (w *walker) targets() (some bool) {
	if w.Peek() != '[' {
		w.Skip()
		return false
	}
	w.out = append(w.out, '[')
	for ok := w.Enter(']'); ok; ok = w.More(']') {
		before := len(w.out)
		if some {
			w.out = append(w.out, ',')
		}
		if w.target() {
			some = true
		} else {
			w.out = w.out[:before]
		}
	}
	w.out = append(w.out, ']')
	return some
}

// target reads one target, and reports whether its href is in the namespace.
func (w *walker) target() (inside bool) {
	if w.Peek() != '{' {
		w.Skip()
		return false
	}
	w.copied = w.Pos
	hrefs, neutral := 0, 0
	for ok := w.Enter('}'); ok; ok = w.More('}') {
		if name := w.Name(); string(jsonscan.Unquote(name)) != "href" {
			w.Skip()
			continue
		}
		hrefs++
		if w.href() {
			neutral++
		}
	}
	w.out = append(w.out, w.Src[w.copied:w.Pos]...)
	return hrefs > 0 && neutral == hrefs
}

func (w *walker) href() (neutral bool) {
	start := w.Pos
	if w.Peek() != '"' {
		w.Skip()
		return false
	}
	plain, escaped := w.unescaped(w.Text())
	l, ok := w.rewriter.neutral(plain, w.at)
	if ok {
		w.splice(start)
		w.put(l, escaped)
	}
	return ok
}

// relationsReplaced notes the legacy form of relations, which began at start in the response
// and at made in out: that of a legacy has all of them.
func (w *walker) relationsReplaced(made, start int) {
	r := w.rewriter
	if r.legacy.own {
		w.delta.replaced(w.out, made, r.moved(w.Src[start:w.Pos], w.at))
	} else {
		w.delta.replaced(w.out, made, r.renamed(w.out[made:]))
	}
}
