package rewrite

import (
	"bytes"
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// answer makes the links of the response of one root to a call.
type answer struct {
	*Rewriter
	call   *mapping.Call // for the links of a list, which name the language
	root   int
	names  *names // that the client speaks
	naming []byte // the query with which links name the language of the request
}

func (r *Rewriter) answer(c *mapping.Call, root int) answer {
	a := answer{Rewriter: r, call: c, root: root, names: r.neutral}
	if c.InLegacyNames { // the client reads links and names as from the legacy (recording events/en/list-default)
		a.names = r.legacy
	}
	a.naming = a.names.namings[root]
	if c.Language != "" {
		a.naming = a.names.naming(r.roots, root, c.Language)
	}
	if _, named := c.Argument(&mapping.Language); named || len(a.naming) == 0 || c.Endpoint.Action != mapping.List {
		return a
	}
	list := *c
	arg := mapping.Arg{Param: &mapping.Language, Text: r.roots[root].Language}
	i, _ := slices.BinarySearchFunc(c.Query, mapping.Language.Name,
		func(a mapping.Arg, name string) int { return strings.Compare(a.Param.Name, name) })
	list.Query = slices.Insert(slices.Clone(c.Query), i, arg)
	a.call = &list
	return a
}

// restLink finds the root that a URL is below, and the part after the root. Of roots that share a URL the
// answering root wins, then the longest. A URL without a known root, in another directory of the site, belongs
// to the answering root.
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

// link is a URL in three parts: the configured URL, the rest of the legacy's URL, and the language.
type link struct{ head, tail, naming []byte }

func (l link) equals(s []byte) bool {
	tail, begins := bytes.CutPrefix(s, l.head)
	tail, ends := bytes.CutSuffix(tail, l.naming)
	return begins && ends && bytes.Equal(tail, l.tail)
}

// appendQuoted appends a link in quotes to out. escaped writes slashes as PHP does.
func (l link) appendQuoted(out []byte, escaped bool) []byte {
	out = append(out, '"')
	for _, part := range [...][]byte{l.head, l.tail, l.naming} {
		for i := bytes.IndexByte(part, '/'); escaped && i >= 0; i = bytes.IndexByte(part, '/') {
			out = append(out, part[:i]...)
			out = append(out, `\/`...)
			part = part[i+1:]
		}
		out = append(out, part...)
	}
	return append(out, '"')
}

// public returns the REST link for clients. sure and ok are as for place.
func (a *answer) public(s []byte, sure bool) (l link, ok bool) {
	root, tail, ok := a.place(s, sure)
	if !ok {
		return link{}, false
	}
	return a.linkTo(root, tail), true
}

// place returns the root that a REST link is below, and the part after the namespace. ok is false for a link
// outside of the namespace. sure means that s can only be a REST link: a link below an unknown host then
// belongs to the root that responds.
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

// linkTo makes the link to a path below the namespace of a root.
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

// renamed returns a link in which the language parameter of a backend has the name and value of n, and reports
// whether the link has the parameter.
func (n *names) renamed(s []byte, backend mapping.API) (link []byte, named bool) {
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

// machineName returns the name of a taxonomy that clients know.
func (r *Rewriter) machineName(s []byte, target *names) link {
	if name, ok := bytes.CutPrefix(s, r.vendor); ok {
		return link{head: target.vendor, tail: name}
	}
	return link{tail: s}
}

// page returns the URL of a page of the site for clients, at the configured place. Without such a place the URL
// stays unchanged, also with the vendor's post type, which a link to a draft has (/?post_type=…&p=591): the
// site has no other URL of that page, and answers /?p=591 for posts alone. At the configured place there is no
// post type, and pages of a site with plain permalinks have neutral names.
//
// In the legacy's names nothing but the place changes.
func (r *Rewriter) page(s []byte, target *names) link {
	host, path, isURL := siteurl.Locate(s)
	if !isURL || !siteurl.Ends(path) || len(r.pages) == 0 {
		return link{tail: s}
	}
	for i := range r.sites {
		tail, ok := r.sites[i].Cut(host, path)
		if !ok {
			continue
		}
		if target.renamesPages {
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

// FromPages returns a write with the site's own URLs instead of the URLs that clients see: the inverse of
// page. The site knows no image by another URL. root is the index of the root that is to respond.
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

// inlineFromPages is FromPages for items of a resource that are described in place: an item or a list of items,
// among ids.
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
