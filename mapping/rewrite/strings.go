package rewrite

import (
	"bytes"
	"strconv"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// string reads a string and rewrites it by its class.
func (w *walker) string(a *mapping.Attribute, in *item) {
	start := w.Pos
	s := w.Text()
	switch {
	case a.Class == mapping.Plain || a.Class == mapping.Prose || onlyURLs(a.Class) && !siteurl.MayBegin(s):
		return // most strings, without a second look
	case a.Class == mapping.Email:
		if !w.old {
			w.email(start, s)
		}
		return
	case a.Class == mapping.PageLink:
		in.page = s
	}
	if a.Class == mapping.Website && !w.old && in.page != nil && siteurl.SamePage(s, in.page) {
		// Without one the legacy responds with the item's page.
		w.splice(start)
		w.out = append(w.out, `""`...)
		return
	}
	if (a.Class == mapping.PageLink || a.Class == mapping.Website) && !w.Wide && w.rewriter.pageStays(s) {
		return
	}
	plain, escaped := w.unescaped(s)
	l, ok := w.replace(a, plain)
	if w.old {
		l, ok = w.legacyLink(a, plain, l, ok)
	}
	if ok && l.is(plain) {
		return
	}
	w.splice(start)
	if !ok {
		w.out = append(w.out, "null"...)
		return
	}
	w.put(l, escaped)
}

// replace returns what replaces s, the inside of a JSON string whose slashes are
// plain; ok is false for a link that leads out of the namespace.
func (w *walker) replace(a *mapping.Attribute, s []byte) (l link, ok bool) {
	r := w.rewriter
	switch a.Class {
	case mapping.RestLink:
		return r.neutral(s, w.at, true)
	case mapping.ThisPage, mapping.NextPage, mapping.PreviousPage:
		return w.pageLink(a.Class), true
	case mapping.PageLink:
		return r.page(s, w.old), true
	case mapping.Website:
		return link{rest: s}, true
	case mapping.Taxonomy:
		return r.machineName(s), true
	}
	if _, _, isREST := r.restLink(s, w.at.root); isREST {
		return r.neutral(s, w.at, false)
	}
	if a.Class == mapping.Message {
		s = r.message(s, w.at)
	}
	return link{rest: s}, true
}

// pageLink makes a list's link from the call: the legacy's loses filters.
func (w *walker) pageLink(c mapping.Class) link {
	n := w.call.Page()
	switch c {
	case mapping.NextPage:
		n++
	case mapping.PreviousPage:
		n = max(1, n-1)
	}
	w.made = w.call.AppendPageLink(w.made[:0], w.rewriter.bases[w.at.root], n)
	return link{rest: w.made}
}

// onlyURLs reports whether nothing but a URL is changed in a string of the class.
func onlyURLs(c mapping.Class) bool {
	return c == mapping.PageLink || c == mapping.Website || c == mapping.Other
}

// email rewrites the string at start, an address, to what its author wrote: WordPress writes
// each character as itself or as an entity, by chance, so that no two responses are alike.
func (w *walker) email(start int, s []byte) {
	plain, _ := w.unescaped(s)
	address, hidden := appendDecoded(nil, plain)
	if !hidden {
		return
	}
	w.splice(start)
	w.out = append(append(append(w.out, '"'), address...), '"')
}

// appendDecoded appends the inside of a JSON string with its decimal entities of ASCII letters,
// digits and signs as these characters, and reports whether it has any.
func appendDecoded(dst, s []byte) (decoded []byte, some bool) {
	for len(s) > 0 {
		c, n := entity(s)
		switch {
		case n == 0:
			c, n = s[0], 1
		case c == '"' || c == '\\':
			some, dst = true, append(dst, '\\')
		default:
			some = true
		}
		dst, s = append(dst, c), s[n:]
	}
	return dst, some
}

// entity returns the printable ASCII character of the decimal entity that s begins with, and the
// length of the entity; 0 for none.
func entity(s []byte) (c byte, n int) {
	digits, isEntity := bytes.CutPrefix(s, []byte("&#"))
	end := bytes.IndexByte(digits[:min(len(digits), 4)], ';')
	if !isEntity || end < 1 || !jsonscan.IsIndex(digits[:end]) {
		return 0, 0
	}
	code, err := strconv.Atoi(string(digits[:end]))
	if err != nil || code <= ' ' || code > '~' {
		return 0, 0
	}
	return byte(code), len("&#;") + end
}

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
	l, ok := w.rewriter.neutral(plain, w.at, false)
	if ok {
		w.splice(start)
		w.put(l, escaped)
	}
	return ok
}
