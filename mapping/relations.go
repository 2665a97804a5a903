package mapping

// relations keeps of _links the targets inside the namespace. Relations with
// none left go, and so do the others' abbreviations (curies).
func (w *walker) relations() {
	w.splice(w.pos)
	w.out = append(w.out, '{')
	first := len(w.out)
	for ok := w.enter('}'); ok; ok = w.more('}') {
		before := len(w.out)
		name := w.name()
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
	w.copied = w.pos
}

// targets reads the list of a relation, and reports whether it has something of
// the namespace.
func (w *walker) targets() (some bool) {
	if w.peek() != '[' {
		w.skip()
		return false
	}
	w.out = append(w.out, '[')
	for ok := w.enter(']'); ok; ok = w.more(']') {
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
	if w.peek() != '{' {
		w.skip()
		return false
	}
	w.copied = w.pos
	hrefs, neutral := 0, 0
	for ok := w.enter('}'); ok; ok = w.more('}') {
		if name := w.name(); string(unquoted(name)) != "href" {
			w.skip()
			continue
		}
		hrefs++
		if w.href() {
			neutral++
		}
	}
	w.out = append(w.out, w.src[w.copied:w.pos]...)
	return hrefs > 0 && neutral == hrefs
}

func (w *walker) href() (neutral bool) {
	start := w.pos
	if w.peek() != '"' {
		w.skip()
		return false
	}
	plain, escaped := w.unescaped(w.text())
	l, ok := w.rewriter.neutral(plain, w.at)
	if ok {
		w.splice(start)
		w.put(l, escaped)
	}
	return ok
}
