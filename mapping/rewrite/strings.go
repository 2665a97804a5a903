package rewrite

import (
	"bytes"

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
		w.email(start, s)
		return
	case a.Class == mapping.PageLink:
		in.page = s
	}
	if a.Class == mapping.Website && in.page != nil && siteurl.SamePage(s, in.page) {
		// Without one the legacy responds with the item's page.
		w.splice(start)
		w.out = append(w.out, `""`...)
		if w.delta != nil {
			plain, escaped := w.unescaped(s)
			w.replaced(len(w.out)-2, w.rewriter.legacyPage(plain), escaped)
		}
		return
	}
	if (a.Class == mapping.PageLink || a.Class == mapping.Website) && !w.Wide && w.rewriter.pageStays(s) || a.Class == mapping.RestLink && w.again(start, s) {
		return
	}
	plain, escaped := w.unescaped(s)
	l, ok := w.replace(a, in, plain)
	var legacy link
	if w.delta != nil {
		legacy = w.legacyLink(a, plain, l, ok)
	}
	stays := ok && l.is(plain)
	if stays && (w.delta == nil || legacy.is(plain)) {
		return
	}
	w.splice(start)
	made := len(w.out)
	var head, rest []byte
	switch {
	case stays:
		w.out = append(w.out, w.Src[start:w.Pos]...)
		w.replaced(made, legacy, escaped)
		return
	case ok:
		head, rest = w.put(l, escaped)
	default:
		w.out = append(w.out, "null"...)
	}
	if w.delta != nil && (ok || w.rewriter.legacy.own) {
		w.replaced(made, legacy, escaped)
	}
	if ok && a.Class == mapping.RestLink && w.rewriter.backend.IDs == nil {
		w.last.remember(s, head, rest, l.naming, escaped)
		w.last.rememberLegacy(w.text, legacy, l, len(rest))
	}
}

// replaced notes that the legacy form has a link where the rest of out, from made on, is.
func (w *walker) replaced(made int, legacy link, escaped bool) {
	w.text = append(w.text[:0], '"')
	for _, part := range [...][]byte{legacy.head, legacy.rest} {
		if escaped {
			w.text = jsonscan.AppendSlashed(w.text, part)
		} else {
			w.text = append(w.text, part...)
		}
	}
	w.text = append(append(w.text, legacy.naming...), '"')
	w.delta.replaced(w.out, made, w.text)
}

// replace returns what replaces s, the inside of a JSON string whose slashes are
// plain; ok is false for a link that leads out of the namespace.
func (w *walker) replace(a *mapping.Attribute, in *item, s []byte) (l link, ok bool) {
	r := w.rewriter
	switch a.Class {
	case mapping.RestLink:
		return r.mustNeutral(s, w.at)
	case mapping.ThisPage, mapping.NextPage, mapping.PreviousPage:
		return w.pageLink(a.Class), true
	case mapping.PageLink:
		return r.page(s), true
	case mapping.Website:
		return link{rest: s}, true
	case mapping.Taxonomy:
		return r.machineName(s), true
	}
	if _, _, isREST := r.restLink(s, w.at.root); isREST {
		return r.neutral(s, w.at)
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

// again rewrites s if it begins as the link before did, and goes on as a path of
// plain segments.
func (w *walker) again(start int, s []byte) bool {
	rest, ok := bytes.CutPrefix(s, w.last.from)
	if !ok || w.last.from == nil || !isPath(rest, w.last.slash) {
		return false
	}
	w.splice(start)
	made := len(w.out)
	w.out = append(w.out, '"')
	w.out = append(w.out, w.last.to...)
	w.out = append(w.out, rest...)
	w.out = append(w.out, w.last.naming...)
	w.out = append(w.out, '"')
	if w.delta != nil {
		w.text = append(append(append(append(w.text[:0], w.last.legacy...), rest...), w.last.legacyNaming...), '"')
		w.delta.replaced(w.out, made, w.text)
	}
	return true
}

func isPath(s []byte, slash string) bool {
	for len(s) > 0 {
		if len(s) < len(slash) || string(s[:len(slash)]) != slash {
			return false
		}
		for s = s[len(slash):]; len(s) > 0 && (isWord(s[0]) || s[0] == '-'); {
			s = s[1:]
		}
	}
	return true
}

// onlyURLs reports whether nothing but a URL is changed in a string of the class.
func onlyURLs(c mapping.Class) bool {
	return c == mapping.PageLink || c == mapping.Website || c == mapping.Other
}
