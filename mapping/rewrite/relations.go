package rewrite

import "github.com/calfacade/calfacade/mapping/jsonscan"

// relations preserves, of _links, the targets inside the namespace. Relations with
// none left go, and so do the others' abbreviations (curies). In the legacy's names all that the
// legacy has sent stays.
func (w *walker) relations() {
	if w.old && w.rewriter.legacy.own {
		start := w.Pos
		w.Skip()
		w.splice(start)
		w.out = append(w.out, w.rewriter.moved(w.Src[start:w.Pos], w.at)...)
		return
	}
	w.splice(w.Pos)
	made := len(w.out)
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
	if w.old {
		w.out = append(w.out[:made], w.rewriter.renamed(w.out[made:])...)
	}
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
