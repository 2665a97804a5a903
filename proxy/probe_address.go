package proxy

import (
	"fmt"
	"net/http"
	"regexp"

	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// addressNotes lists what is unusual in where a site has its REST root, its pages and its
// images.
func (f *Facade) addressNotes(b *backend, root string, index restIndex) []string {
	var all []string
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	site, part := b.speech.Dialect.SplitRoot(root)
	switch {
	case siteurl.IsPlain(root) && f.options.Pages == "":
		note("has plain permalinks: the URLs of its pages have the vendor's names, and keep them unless rewrite.site is set")
	case siteurl.IsPlain(root):
		note("has plain permalinks: the URLs of its pages are shown with neutral names, which what is at %s has to know", f.options.Pages)
	case part != "" && !standardPart.MatchString(part):
		note("has the REST prefix %s: its pages are taken to be below %s", part[1:], site)
	}
	switch {
	case index.Home != "" && !b.rewriter.Knows(index.Home):
		note("calls its start page %s: links to its pages are recognized if that is in upstream.site_aliases", upstream.BareURL(index.Home))
	case index.URL != "" && !b.rewriter.Knows(index.URL):
		note("has WordPress at %s, and not below the site: rewrite.site moves its images if that is upstream.wordpress_url", upstream.BareURL(index.URL))
	}
	return all
}

var (
	standardPart = regexp.MustCompile(`^(/index\.php)?/wp-json$`)
	restRelation = regexp.MustCompile(`<([^<>]*)>; rel="https://api\.w\.org/"`)
)

// saidRoot returns the REST root that WordPress names in the header of each page; "" if
// it names none.
func saidRoot(h http.Header) string {
	for _, value := range h.Values("Link") {
		if found := restRelation.FindStringSubmatch(value); found != nil {
			if root := siteurl.Root(found[1]); siteurl.IsRoot(root) {
				return root
			}
		}
	}
	return ""
}
