package rewrite

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// pageStays reports whether s, the URL of a page as JSON has it, is what clients
// see.
func (r *Rewriter) pageStays(s []byte) bool {
	return len(r.shown) == 0 && !r.hasPostType(s)
}

// page returns the URL of a page of the site as clients see it: shown at the
// configured place, and without the vendor's post type, which a link to a draft
// has (/?post_type=…&p=591; /?p=591 is the same page). At the configured place pages of
// a site with plain permalinks have neutral names too; the site itself knows no others.
func (r *Rewriter) page(s []byte) link {
	host, path, isURL := siteurl.Locate(s)
	if !isURL || !siteurl.Ends(path) {
		return link{rest: s}
	}
	for i := range r.sites {
		rest, ok := r.sites[i].Cut(host, path)
		if !ok {
			continue
		}
		if len(r.shown) > 0 {
			return link{head: r.shown, rest: r.neutralPage(rest)}
		}
		return link{head: s[:len(s)-len(rest)], rest: r.withoutPostType(rest)}
	}
	return link{rest: r.withoutPostType(s)}
}

func (r *Rewriter) hasPostType(s []byte) bool {
	query := bytes.IndexByte(s, '?') // most pages have none, and what is sought begins with a letter that they do have
	return query >= 0 && len(r.postType) > 0 && bytes.Contains(s[query:], r.postType)
}

func (r *Rewriter) withoutPostType(s []byte) []byte {
	if !r.hasPostType(s) {
		return s
	}
	return siteurl.EditQuery(s, func(pair []byte) []byte {
		if bytes.HasPrefix(pair, r.postType) {
			return nil
		}
		return pair
	})
}

// neutralPage returns the path and query of a page without the vendor's names.
func (r *Rewriter) neutralPage(rest []byte) []byte {
	rest = r.withoutPostType(rest)
	if len(r.vendor) == 0 || bytes.IndexByte(rest, '?') < 0 {
		return rest
	}
	return siteurl.EditQuery(rest, func(pair []byte) []byte {
		if name := r.machineName(pair); name.head != nil {
			return slices.Concat(name.head, name.rest)
		}
		return pair
	})
}

// FromPages returns a write with the URLs of the site as the site has them, where
// clients see them elsewhere: what page does, undone. The site knows no image by
// another URL. root is the index of the root that is to respond.
func (r *Rewriter) FromPages(c *mapping.Call, root int) *mapping.Call {
	if len(r.shown) == 0 || len(c.Fields) == 0 {
		return c
	}
	out := *c
	out.Fields = slices.Clone(c.Fields)
	for i := range out.Fields {
		a := &out.Fields[i]
		switch {
		case a.Param.Page:
			if own, shown := r.fromPage(a.Text, root); shown {
				a.Text, a.JSON = own, jsonscan.Quote(own)
			}
		case a.Param.Kind == mapping.Links:
			a.JSON = r.inlineFromPages(a.Param.Of, jsontext.Value(a.JSON), root)
		}
	}
	return &out
}

// fromPage returns the site's own URL of the image that is shown at url.
func (r *Rewriter) fromPage(url string, root int) (own string, shown bool) {
	host, path, _ := siteurl.Locate([]byte(url))
	rest, shown := siteurl.At(string(r.shown)).Cut(host, path)
	return cmp.Or(r.images, r.homes[root]) + string(rest), shown
}

// inlineFromPages is FromPages for items of a resource that are described in place: one or a
// list of them, among ids.
func (r *Rewriter) inlineFromPages(resource string, v jsontext.Value, root int) string {
	if v.Kind() == '[' {
		var items []string
		for _, item := range jsonscan.AsList(v) {
			items = append(items, r.inlineFromPages(resource, item, root))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	if v.Kind() != '{' {
		return string(v)
	}
	for _, p := range mapping.FieldsOf(resource) {
		if own, shown := r.fromPage(jsonscan.Text(jsonscan.Get(v, p.Name)), root); p.Page && shown {
			v = jsonscan.Replace(v, p.Name, jsonscan.Quote(own))
		}
	}
	return string(v)
}
