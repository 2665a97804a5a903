package rewrite

import (
	"bytes"

	"github.com/calfacade/calfacade/mapping"
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
	if (a.Class == mapping.PageLink || a.Class == mapping.Website) && !w.Wide && w.rewriter.pageStays(s) || a.Class == mapping.RestLink && w.again(start, s) {
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
	head, rest := w.put(l, escaped)
	if a.Class == mapping.RestLink && w.rewriter.backend.IDs == nil {
		w.last.remember(s, head, rest, l.naming, escaped)
	}
}

// replace returns what replaces s, the inside of a JSON string whose slashes are
// plain; ok is false for a link that leads out of the namespace.
func (w *walker) replace(a *mapping.Attribute, s []byte) (l link, ok bool) {
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
	w.out = append(w.out, '"')
	w.out = append(w.out, w.last.to...)
	w.out = append(w.out, rest...)
	w.out = append(w.out, w.last.naming...)
	w.out = append(w.out, '"')
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
