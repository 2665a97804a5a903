package probe

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// Discovered has the findings from the pages of a site about its REST roots.
type Discovered struct {
	Roots    i18n.Languages // the default language first; at least one. Roots differ, and are the site's if possible.
	Settings []Setting      // that the site needs to respond
	Notes    []string       // about unknown facts
}

// Discover reads the page at a URL of a WordPress site and its translations. Each page names its REST root
// in the header field Link (recordings site/*/home-head, plain/fr/home-head, prefix/fr/home-head), which
// security plugins may remove, and in its head; the head also names the translations (hreflang, as
// in recordings translatepress/en/root-unknown-dir and polylang/mixed/plain-root-pretty). A REST
// root is a valid URL too. A site that calls itself by another host than the URL, such as a copy for tests,
// is read at the host of the URL if that has a REST root.
func Discover(ctx context.Context, o SiteOptions) (d Discovered, err error) {
	v, err := newVisit(o)
	if err != nil {
		return d, err
	}
	defer v.service.Close()
	start, err := v.readStart(ctx)
	if err != nil {
		return d, err
	}
	if start.root == "" {
		v.findNeutral(ctx, start)
	}
	if start.root == "" {
		return d, fmt.Errorf("%s names no REST root (%s): give the public URL of the site, or of the root, such as %s",
			start.url, start.shows, strings.TrimRight(start.url, "/")+siteurl.Prefix)
	}
	if v.stay(start.url, start.root) {
		if index, err := v.readPage(ctx, siteurl.Join(start.root, indexPath)); err == nil && index.isIndex {
			start.root = index.root
		} else {
			v.named = "" // only the pages are here
		}
	}
	if !v.allows(start.root) {
		return d, fmt.Errorf("%s has its REST root at %s%s", start.url, start.root, v.elsewhere())
	}
	if v.named != "" {
		d.Notes = append(d.Notes, fmt.Sprintf("the site calls itself %s; calls go to %s", v.named, v.readAt))
	}
	if v.forwarded {
		d.Settings = append(d.Settings, Setting{Key: "upstream.headers", Value: forwardedHTTPS})
	}
	if start.namespace == mapping.Neutral.Namespace {
		d.Settings = append(d.Settings, Setting{Key: "upstream.dialect", Value: start.namespace})
		d.Notes = append(d.Notes, "only one language was looked for: add the REST roots of others to languages")
	}
	language := start.language
	if !slices.Contains(i18n.Codes, language) {
		language = i18n.Codes[0]
		d.Notes = append(d.Notes, fmt.Sprintf("the start page has the language %q, which this program does not have: %q stands for it",
			start.language, language))
	}
	d.add(language, start.root)
	for _, code := range i18n.Codes {
		link := start.translations[code]
		if code != language && link != "" {
			d.addTranslation(ctx, v, code, link)
		}
	}
	return d, nil
}

// findNeutral looks for the neutral namespace below a page, of a site that need not be WordPress, and sets the
// missing data of the page.
func (v *visit) findNeutral(ctx context.Context, start *page) {
	base := strings.TrimRight(start.url, "/")
	for _, root := range []string{base, base + siteurl.Prefix} {
		index, err := v.readPage(ctx, root+"/"+mapping.Neutral.Namespace)
		if err == nil && index.namespace == mapping.Neutral.Namespace {
			start.root = index.root
			start.namespace = index.namespace
			start.language = index.language
			return
		}
	}
}

// readStart reads the page at the URL of a visit, or the start page that an index at the URL names.
func (v *visit) readStart(ctx context.Context) (*page, error) {
	start, err := v.readPage(ctx, v.options.URL)
	if err != nil || start.home == "" {
		return start, err
	}
	root := start.root
	v.stay(start.url, start.home)
	if start, err = v.readPage(ctx, start.home); err != nil {
		return nil, err
	}
	start.root = cmp.Or(start.root, root)
	return start, nil
}

// addTranslation adds the root that a translation of the start page names.
func (d *Discovered) addTranslation(ctx context.Context, v *visit, code, link string) {
	reason := ""
	page, err := v.readPage(ctx, link)
	switch {
	case err != nil:
		reason = err.Error()
	case page.root == "":
		reason = fmt.Sprintf("%s names no REST root (%s)", page.url, page.shows)
	case !v.allows(page.root):
		reason = fmt.Sprintf("%s has its REST root at %s%s", page.url, page.root, v.elsewhere())
	default:
		d.add(code, page.root)
		return
	}
	d.Notes = append(d.Notes, fmt.Sprintf("the language %s is left out: %s", code, reason))
}

// add adds a root.
func (d *Discovered) add(language, root string) {
	path := siteurl.Prefix
	if u, err := url.Parse(root); err == nil && !siteurl.IsPlain(root) {
		path = u.EscapedPath()
	}
	if slices.ContainsFunc(d.Roots, func(l i18n.Language) bool { return l.Root == path }) {
		path = "/" + language + path
	}
	d.Roots = append(d.Roots, i18n.Language{Code: language, Root: path, Upstream: root})
}
