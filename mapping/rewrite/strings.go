package rewrite

import (
	"regexp"
	"strconv"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// string reads a string and rewrites it by its class.
func (w *walker) string(a *mapping.Attribute, in *item) {
	start := w.Pos
	s := w.Text()
	isPage := a.Class == mapping.PageLink || a.Class == mapping.Website
	switch {
	case a.Class == mapping.Plain || a.Class == mapping.Prose || (isPage || a.Class == mapping.Other) && !siteurl.MayBegin(s):
		return // most strings, without a second look
	case a.Class == mapping.Email:
		if !w.old {
			w.email(start, s)
		}
		return
	case a.Class == mapping.PageLink:
		in.page = s
	case a.Class == mapping.Website && !w.old && in.page != nil && siteurl.SamePage(s, in.page):
		// Without one the legacy responds with the item's page.
		w.splice(start)
		w.out = append(w.out, `""`...)
		return
	}
	if isPage && !w.Wide && len(w.pages) == 0 && !w.hasPostType(s) {
		return
	}
	plain, escaped := w.unescaped(s)
	var l link
	var ok bool
	if w.old {
		l, ok = w.legacyLink(a, plain)
	} else {
		l, ok = w.replace(a, plain)
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
	switch a.Class {
	case mapping.RestLink:
		return w.neutral(s, true)
	case mapping.ThisPage, mapping.NextPage, mapping.PreviousPage:
		return w.pageLink(a.Class), true
	case mapping.PageLink:
		return w.page(s, false), true
	case mapping.Website:
		return link{rest: s}, true
	case mapping.Taxonomy:
		return w.machineName(s), true
	}
	if _, _, isREST := w.restLink(s); isREST {
		return w.neutral(s, false)
	}
	if a.Class == mapping.Message {
		s = w.message(s)
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
	base := w.bases[w.root]
	w.made = w.call.AppendPageLink(w.made[:0], base, n)
	return link{head: base, rest: w.made[len(base):]}
}

// hidden matches a character of an address as an entity.
var hidden = regexp.MustCompile(`&#([0-9]{1,3});`)

// email rewrites the string at start, an address, to what its author wrote: WordPress writes
// each character as itself or as an entity, by chance, so that no two responses are alike.
func (w *walker) email(start int, s []byte) {
	plain, _ := w.unescaped(s)
	if !hidden.Match(plain) {
		return
	}
	w.splice(start)
	w.out = append(w.out, '"')
	w.out = append(w.out, hidden.ReplaceAllFunc(plain, func(entity []byte) []byte {
		code, _ := strconv.Atoi(string(entity[len("&#") : len(entity)-1])) // digits
		switch {
		case code <= ' ' || code > '~':
			return entity
		case code == '"' || code == '\\':
			return []byte{'\\', byte(code)}
		}
		return []byte{byte(code)}
	})...)
	w.out = append(w.out, '"')
}

// relations preserves, of _links, the targets inside the namespace. Relations with
// none left go, and so do the others' abbreviations (curies). In the legacy's names all that the
// legacy has sent stays.
func (w *walker) relations() {
	if w.own {
		w.object(&texts)
		return
	}
	w.splice(w.Pos)
	made := len(w.out)
	w.keep('{', '}', func() bool {
		w.out = append(append(append(w.out, '"'), w.Name()...), `":`...)
		if w.Peek() != '[' {
			w.Skip()
			return false
		}
		return w.keep('[', ']', w.target)
	})
	w.copied = w.Pos
	if w.old {
		w.out = append(w.out[:made], w.renamed(w.out[made:])...)
	}
}

// keep writes a list or an object with the elements or members for which one, which reads and writes it, returns
// true, and reports whether there are some.
func (w *walker) keep(opening, closing byte, one func() bool) (some bool) {
	w.out = append(w.out, opening)
	for ok := w.Enter(closing); ok; ok = w.More(closing) {
		before := len(w.out)
		if some {
			w.out = append(w.out, ',')
		}
		if one() {
			some = true
		} else {
			w.out = w.out[:before]
		}
	}
	w.out = append(w.out, closing)
	return some
}

// target reads one target, and reports whether its href is in the namespace.
func (w *walker) target() bool {
	if w.Peek() != '{' {
		w.Skip()
		return false
	}
	w.copied = w.Pos
	hrefs, neutral := 0, 0
	for ok := w.Enter('}'); ok; ok = w.More('}') {
		if string(jsonscan.Unquote(w.Name())) != "href" {
			w.Skip()
			continue
		}
		hrefs++
		if w.Peek() != '"' {
			w.Skip()
			continue
		}
		start := w.Pos
		plain, escaped := w.unescaped(w.Text())
		if l, ok := w.neutral(plain, false); ok {
			neutral++
			w.splice(start)
			w.put(l, escaped)
		}
	}
	w.out = append(w.out, w.Src[w.copied:w.Pos]...)
	return hrefs > 0 && neutral == hrefs
}
