package rewrite

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

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
