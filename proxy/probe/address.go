package probe

import (
	"fmt"
	"net/http"
	"regexp"

	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// addressNotes returns what is unusual about the URLs of the REST root, the pages and the
// images of a site.
func (o *Options) addressNotes(b *Backend, root string, index restIndex) []string {
	var all []string
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	site, part := b.Dialect.Dialect.SplitRoot(root)
	linked := linkedRoot(index.header) // a site with pretty permalinks answers at index.php too
	switch {
	case siteurl.IsPlain(root) && linked != "" && !siteurl.IsPlain(linked):
	case siteurl.IsPlain(root) && o.Pages == "":
		note("has plain permalinks: the URLs of its pages contain vendor names unless rewrite.site is set")
	case siteurl.IsPlain(root):
		note("has plain permalinks: the URLs of its pages have neutral names, which %s must resolve", o.Pages)
	case part != "" && !standardPart.MatchString(part):
		note("has the REST prefix %s: its pages are assumed to be below %s", part[1:], site)
	}
	switch {
	case index.Home != "" && !b.Rewriter.Knows(index.Home):
		note("has its start page at %s: links to its pages are recognized if that is in upstream.site_aliases", upstream.BareURL(index.Home))
	case index.URL != "" && !b.Rewriter.Knows(index.URL):
		note("has WordPress at %s, outside of the site: rewrite.site moves its images if that is upstream.wordpress_url", upstream.BareURL(index.URL))
	}
	return all
}

var (
	standardPart = regexp.MustCompile(`^(/index\.php)?/wp-json$`)
	restRelation = regexp.MustCompile(`<([^<>]*)>; rel="https://api\.w\.org/"`)
)

// linkedRoot returns the REST root that WordPress links in the header of each page; "" if
// there is none.
func linkedRoot(h http.Header) string {
	for _, value := range h.Values("Link") {
		if found := restRelation.FindStringSubmatch(value); found != nil {
			if root := siteurl.Root(found[1]); siteurl.IsRoot(root) {
				return root
			}
		}
	}
	return ""
}
