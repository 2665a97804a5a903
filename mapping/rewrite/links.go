package rewrite

import (
	"bytes"
	"cmp"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// restLink finds which root a URL is below, and what follows the root. Of roots
// that share a URL the answering one wins, then the longest. One that no root is
// known for, in another directory of the site, belongs to the answering one.
func (a *answer) restLink(s []byte) (root int, tail []byte, ok bool) {
	host, path, isURL := siteurl.Locate(s)
	if !isURL || !siteurl.Ends(path) {
		return 0, nil, false
	}
	dir, route, isREST := siteurl.SplitREST(path)
	best := -1
	for i := range a.directories {
		p := &a.directories[i]
		suffix := route
		matches := isREST && bytes.EqualFold(host, p.Host) && bytes.EqualFold(dir, p.Path)
		if p.bare || p.prefix != nil && !matches {
			suffix, matches = p.cutRoot(host, path)
		}
		if !matches || len(p.Path) < best || len(p.Path) == best && p.root != a.root {
			continue
		}
		root = p.root
		tail = suffix
		best = len(p.Path)
	}
	if best >= 0 {
		return root, tail, true
	}
	return a.root, route, isREST && a.ours(host, path)
}

// link is a URL in three parts: one of the configuration, what follows it in
// the legacy's, and the language.
type link struct{ head, tail, naming []byte }

func (l link) equals(s []byte) bool {
	tail, begins := bytes.CutPrefix(s, l.head)
	tail, ends := bytes.CutSuffix(tail, l.naming)
	return begins && ends && bytes.Equal(tail, l.tail)
}

// public returns a REST link as clients know it. sure and ok are as for place.
func (a *answer) public(s []byte, sure bool) (l link, ok bool) {
	root, tail, ok := a.place(s, sure)
	if !ok {
		return link{}, false
	}
	return a.linkTo(root, tail), true
}

// place returns the root that a REST link is below, and what follows the namespace. ok is false if it is
// none of the namespace's. If s can only be a REST link, which is sure, one below a host that is not
// configured belongs to the root that responds.
func (a *answer) place(s []byte, sure bool) (root int, tail []byte, ok bool) {
	root, route, isREST := a.restLink(s)
	if tail, ok = siteurl.Cut(route, a.namespace); isREST && ok {
		return root, tail, true
	}
	if !sure {
		return 0, nil, false
	}
	_, route, isREST = siteurl.SplitREST(s)
	i := bytes.Index(s, a.namespace)
	if !isREST && i >= 0 {
		route = s[i:]
	}
	tail, ok = siteurl.Cut(route, a.namespace)
	return a.root, tail, ok
}

// linkTo makes the link to what follows the namespace of a root.
func (a *answer) linkTo(root int, tail []byte) link {
	naming := a.names.namings[root]
	if root == a.root {
		naming = a.naming
	}
	if bytes.IndexByte(tail, '?') >= 0 {
		named := false
		if tail, named = a.names.renamed(tail, a.backend); named {
			naming = nil
		} else if len(naming) > 0 {
			naming = append([]byte("&"), naming[1:]...)
		}
	}
	return link{head: a.names.bases[root], tail: a.backend.IDs.LegacyPath(tail), naming: naming}
}

// renamed returns a link in which the language parameter of a backend has its name and value in n, and
// reports whether it is there.
func (n *names) renamed(s []byte, backend mapping.Backend) (link []byte, named bool) {
	if backend.LanguageParam == "" {
		return s, false
	}
	link = siteurl.EditQuery(s, func(pair []byte) []byte {
		value, ok := bytes.CutPrefix(pair, []byte(backend.LanguageParam+"="))
		if !ok {
			return pair
		}
		named = true
		code := string(value)
		for language, word := range backend.Languages {
			if url.QueryEscape(word) == string(value) {
				code = language
			}
		}
		return []byte(n.LanguageParam + "=" + n.word(code))
	})
	return link, named
}

// neutralVendor begins neutral machine names instead of a vendor.
const neutralVendor = "calendar_"

// machineName returns the name of a taxonomy that clients know.
func (r *Rewriter) machineName(s []byte, target *names) link {
	if name, ok := bytes.CutPrefix(s, r.vendor); ok {
		return link{head: target.vendor, tail: name}
	}
	return link{tail: s}
}

// page returns the URL of a page of the site as clients see it, at the configured place. Without such a
// place the URL stays as it is, also with the vendor's post type, which a link to a draft has
// (/?post_type=…&p=591): the site has no other URL of that page, and answers /?p=591 for posts alone. At the
// configured place there is no post type, and pages of a site with plain permalinks have neutral names.
//
// In the legacy's names nothing but the place changes.
func (r *Rewriter) page(s []byte, old bool) link {
	host, path, isURL := siteurl.Locate(s)
	if !isURL || !siteurl.Ends(path) || len(r.pages) == 0 {
		return link{tail: s}
	}
	for i := range r.sites {
		tail, ok := r.sites[i].Cut(host, path)
		if !ok {
			continue
		}
		if !old {
			tail = r.neutralPage(tail)
		}
		return link{head: r.pages, tail: tail}
	}
	return link{tail: s}
}

// neutralPage returns a page without the vendor's post type and with neutral names.
func (r *Rewriter) neutralPage(s []byte) []byte {
	return siteurl.EditQuery(s, func(pair []byte) []byte {
		if len(r.postType) > 0 && bytes.HasPrefix(pair, r.postType) {
			return nil
		}
		name := r.machineName(pair, r.neutral)
		return slices.Concat(name.head, name.tail)
	})
}

// FromPages returns a write with the URLs of the site as the site has them, where
// clients see them elsewhere: what page does, undone. The site knows no image by
// another URL. root is the index of the root that is to respond.
func (r *Rewriter) FromPages(c *mapping.Call, root int) *mapping.Call {
	if len(r.pages) == 0 || len(c.Fields) == 0 {
		return c
	}
	out := *c
	out.Fields = slices.Clone(c.Fields)
	for i := range out.Fields {
		a := &out.Fields[i]
		switch {
		case a.Param.Page:
			if imageURL, ok := r.fromPage(a.Text, root); ok {
				a.Text = imageURL
				a.JSON = jsonscan.Quote(imageURL)
			}
		case a.Param.Kind == mapping.Links:
			a.JSON = r.inlineFromPages(a.Param.Of, jsontext.Value(a.JSON), root)
		}
	}
	return &out
}

// fromPage returns the site's own URL of the image that is shown at url.
func (r *Rewriter) fromPage(url string, root int) (imageURL string, ok bool) {
	host, path, _ := siteurl.Locate([]byte(url))
	tail, ok := siteurl.At(string(r.pages)).Cut(host, path)
	return cmp.Or(r.images, r.roots[root].home) + string(tail), ok
}

// inlineFromPages is FromPages for items of a resource that are described in place: one or a
// list of them, among ids.
func (r *Rewriter) inlineFromPages(resource string, v jsontext.Value, root int) string {
	if v.Kind() == '[' {
		var items []string
		for _, item := range jsonscan.AsList(v) {
			items = append(items, r.inlineFromPages(resource, item, root))
		}
		return jsonscan.List(items)
	}
	if v.Kind() != '{' {
		return string(v)
	}
	for _, p := range mapping.FieldsOf(resource) {
		if imageURL, ok := r.fromPage(jsonscan.Text(jsonscan.Get(v, p.Name)), root); p.Page && ok {
			v = jsonscan.With(v, p.Name, jsonscan.Quote(imageURL))
		}
	}
	return string(v)
}
