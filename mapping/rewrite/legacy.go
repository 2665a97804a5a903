package rewrite

import (
	"bytes"
	"cmp"
	"context"
	"net/url"
	"slices"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// LegacyNames are the names of the legacy, in which clients that do not know the neutral
// namespace are served.
type LegacyNames struct {
	mapping.Backend // names its namespace, language parameter and machine names

	// Candidate reports that another backend than the legacy responds. Of its links only those
	// to the namespace get the legacy's names: others lead to a site that clients do not know.
	Candidate bool

	own bool // the backend is the legacy: what it sends stays, except for the place of its REST interface
}

// rename returns an error with the names of the legacy for the namespace and the language
// parameter.
func (n *LegacyNames) rename(body []byte) []byte {
	body = renamePlace(body, mapping.Namespace, n.Place())
	if n.LanguageParam == "" {
		return body
	}
	for code, word := range n.Languages {
		body = renameWord(body, mapping.Language.Name+"="+code, n.LanguageParam+"="+url.QueryEscape(word))
	}
	return renameWord(body, mapping.Language.Name, n.LanguageParam)
}

// renamed returns JSON in neutral names, such as an error, in the names of the legacy.
func (r *Rewriter) renamed(body []byte) []byte {
	for _, root := range r.roots {
		for _, slash := range []string{"/", `\/`} {
			from := bytes.ReplaceAll(root.base, []byte("/"), []byte(slash))
			body = bytes.ReplaceAll(body, from, bytes.ReplaceAll(root.legacyBase, []byte("/"), []byte(slash)))
		}
	}
	return r.legacy.rename(body)
}

// query returns the end of a link, from its "?" or a later "&", with the legacy's name of the
// language.
func (n *LegacyNames) query(end []byte) []byte {
	if n.LanguageParam == "" || !bytes.Contains(end, []byte(mapping.Language.Name+"=")) {
		return end
	}
	named := renameParam(append([]byte("?"), end[1:]...), mapping.Language.Name, n.LanguageParam,
		func(code string) string { return url.QueryEscape(cmp.Or(n.Languages[code], code)) })
	return slices.Concat(end[:1], named[1:])
}

// link returns a neutral link to the namespace in the names of the legacy, and any other as it is.
func (n *LegacyNames) link(r *Rewriter, l link) link {
	root := slices.IndexFunc(r.roots, func(root Root) bool { return bytes.Equal(l.head, root.base) })
	if root < 0 {
		return l
	}
	l.head = r.roots[root].legacyBase
	if at := bytes.IndexByte(l.rest, '?'); at >= 0 {
		l.rest = slices.Concat(l.rest[:at], n.query(l.rest[at:]))
	}
	if len(l.naming) > 0 {
		l.naming = n.query(l.naming)
	}
	return l
}

// legacyLink returns s, a link of the backend, in the legacy's names: the inside of a JSON string
// whose slashes are plain. ok is false for a link that leads out of the namespace, which only the
// legacy's own responses keep.
func (w *walker) legacyLink(a *mapping.Attribute, s []byte) (l link, ok bool) {
	switch {
	case a.Class == mapping.PageLink, a.Class == mapping.Website:
		return w.page(s, true), true
	case w.own && a.Class == mapping.Taxonomy:
		return link{rest: s}, true
	case w.own && a.Class == mapping.Message:
		return link{rest: w.movedText(s)}, true
	case w.own:
		return w.movedLink(s), true
	}
	l, ok = w.replace(a, s)
	name := slices.Concat(l.head, l.rest)
	if rest, isNeutral := bytes.CutPrefix(name, neutrally); isNeutral && a.Class == mapping.Taxonomy {
		return link{head: []byte(w.legacy.Dialect.Vendor), rest: rest}, ok
	}
	return w.legacy.link(w.Rewriter, l), ok
}

// movedLink returns a link of the legacy's namespace at the public URL of its root, and any
// other as it is.
func (a *answer) movedLink(s []byte) link {
	root, rest, ok := a.place(bytes.ReplaceAll(s, blank, noBlank), true)
	if !ok {
		return link{rest: s}
	}
	rest = bytes.ReplaceAll(rest, noBlank, blank)
	return link{a.roots[root].legacyBase, rest, a.legacy.link(a.Rewriter, a.linkTo(root, rest)).naming}
}

// movedText returns a text of the legacy with the links of its namespace at the public URLs.
func (a *answer) movedText(s []byte) []byte {
	if !bytes.Contains(s, a.namespace) {
		return s
	}
	return replaceURLs(s, func(url []byte) (link, bool) {
		_, _, known := a.place(url, false)
		return a.movedLink(url), known
	})
}

// A list's link to itself has plain blanks (recording events/en/list-default), which end other
// links. No JSON string has what stands for them.
var blank, noBlank = []byte(" "), []byte{0}

// Describe returns a description that the legacy has of its own interface, such as its index,
// with the links of its namespace at the public URLs. root is the index of the root that
// answered.
func (r *Rewriter) Describe(ctx context.Context, root int, description []byte) ([]byte, error) {
	w := walker{Scanner: jsonscan.Scanner{Src: description}, ctx: ctx, old: true, own: true,
		answer: answer{r, &mapping.Call{Endpoint: &mapping.Endpoint{}}, root, r.roots[root].naming}}
	return w.pass(&texts)
}
