package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// homes are the start pages of languages. The pages of items are below the start page of their
// language.
type homes []home

type home struct {
	code string
	url  string // without scheme, and without a slash at the end
}

// languageOf returns the language of the page at link; "" if the link does not show it. With
// plain permalinks a parameter does.
func (h homes) languageOf(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" {
		return ""
	}
	if named := u.Query().Get(pagesParam); named != "" {
		return named
	}
	best := home{}
	for _, home := range h {
		rest, below := strings.CutPrefix(u.Host+u.Path, home.url)
		if below && (rest == "" || rest[0] == '/') && len(home.url) > len(best.url) {
			best = home
		}
	}
	return best.code
}

// pagesParam names the language in the links of Polylang and WPML to pages.
const pagesParam = "lang"

// homesOf reads the start pages from the index of each root and from the languages of
// Polylang. Without either, a language is assumed in a directory below the default's.
func homesOf(site i18n.Site, indexes []restIndex, plugin []pluginLanguage) homes {
	var all homes
	add := func(code, link string) {
		_, rest, found := strings.Cut(link, "://")
		rest = strings.TrimSuffix(rest, "/")
		if found && !slices.ContainsFunc(all, func(h home) bool { return h.url == rest }) {
			all = append(all, home{code, rest})
		}
	}
	add(site[0].Code, indexes[0].Home)
	for _, p := range plugin {
		code := p.Slug // Polylang may have more languages than the proxy
		if i := slices.IndexFunc(site, func(l i18n.Language) bool { return strings.EqualFold(l.UpstreamCode(), p.Slug) }); i >= 0 {
			code = site[i].Code
		}
		add(code, p.HomeURL)
	}
	for i, l := range site {
		add(l.Code, indexes[i].Home)
		add(l.Code, strings.TrimSuffix(indexes[0].Home, "/")+"/"+l.UpstreamCode())
	}
	return all
}

// pluginLanguage is a language as Polylang lists it to anonymous clients.
type pluginLanguage struct {
	Slug    string `json:"slug"`
	HomeURL string `json:"home_url"`
}

// What Polylang adds to the REST API of the site.
const (
	polylangNamespace = "pll/v1"
	polylangParam     = "lang"
)

// pluginLanguages returns the languages of Polylang; nil if it is not installed or does not
// respond.
func (b *Backend) pluginLanguages(ctx context.Context, index restIndex) []pluginLanguage {
	if !slices.Contains(index.Namespaces, polylangNamespace) {
		return nil
	}
	request := upstream.Request{Method: http.MethodGet, Target: "/" + polylangNamespace + "/languages", Class: upstream.Read}
	got, _, err := b.Client.Do(ctx, b.Roots[0].Upstream, request)
	var list []pluginLanguage
	if err != nil || got.Status != http.StatusOK || json.Unmarshal(got.Body, &list) != nil {
		return nil
	}
	return list
}

// wordPressError is an error as WordPress sends it.
type wordPressError struct {
	Code string `json:"code"`
}

// describeNoRoot describes a response that is no REST root.
func describeNoRoot(got upstream.Response) string {
	title, isPage := pageTitle(got)
	var e wordPressError
	_ = json.Unmarshal(got.Body, &e) // what is no error has no code
	codings := got.Undecoded()
	switch {
	case codings != "":
		return fmt.Sprintf("no REST root: status %d, the content coding %.40q, which is not decoded", got.Status, codings)
	case isPage && title != "":
		return fmt.Sprintf("no REST root: status %d, an HTML page titled %q", got.Status, title)
	case isPage:
		return fmt.Sprintf("no REST root: status %d, an HTML page", got.Status)
	case e.Code != "":
		return fmt.Sprintf("no REST root: status %d, code %q", got.Status, e.Code)
	case json.Valid(got.Body):
		return fmt.Sprintf("no REST root: status %d, other JSON, which begins %.80q", got.Status, got.Body)
	}
	return fmt.Sprintf("no REST root: status %d, no JSON", got.Status)
}

var titlePattern = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title`)

// maxTitle is how much of a title is shown, in bytes.
const maxTitle = 100

// pageTitle returns the title of an HTML page; isPage is false for anything else.
func pageTitle(got upstream.Response) (title string, isPage bool) {
	isPage = strings.HasPrefix(got.Header.Get("Content-Type"), "text/html")
	if found := titlePattern.FindSubmatch(got.Body); isPage && found != nil {
		title = strings.Join(strings.Fields(html.UnescapeString(string(found[1]))), " ")
		title = strings.ToValidUTF8(title[:min(len(title), maxTitle)], "")
	}
	return title, isPage
}

// noRootHint returns a likely reason why there is no REST root, and what to do.
func (o *Options) noRootHint(ctx context.Context, b *Backend, f *Finding, got upstream.Response) string {
	linked := linkedRoot(got.Header)
	_, isPage := pageTitle(got)
	switch {
	case got.Status == http.StatusUnauthorized && got.Header.Get("Www-Authenticate") != "":
		return ": something in front of the site requires credentials, see upstream.username"
	case got.Status == http.StatusUnauthorized, got.Status == http.StatusForbidden:
		// Recordings broken/en/login-required-root and forbidden-root.
		return fmt.Sprintf(": a security plugin, or what is in front of the site, closes the REST API; it must allow anonymous GET requests below %s", b.Dialect.Place())
	case linked != "" && linked != f.Upstream:
		return fmt.Sprintf(": the site reports the REST root %s; set that as the upstream", linked)
	case got.Status == http.StatusServiceUnavailable: // recording broken/en/maintenance-root
		return ": the site is in maintenance, or overloaded; try again later"
	case got.Status >= http.StatusInternalServerError: // recording broken/en/fatal-on-load-root
		return ": the site is broken; its PHP error log has the reason"
	case got.Status == http.StatusNotFound:
		if plain := o.plainRoot(ctx, b, f); plain != "" {
			return fmt.Sprintf(": the site has its REST root at %s, as with plain permalinks; set that as the upstream", plain)
		}
		return ": the upstream may lack the directory of WordPress, or have another prefix than the site; the Link header of the site's start page has the URL"
	case isPage:
		return ": a page for maintenance, sign-in or a bot check, or the URL of a page; let the address of this machine through, or correct the upstream"
	}
	return ""
}

// plainRoot returns the REST root of the legacy with plain permalinks; "" if it has none.
// Below /wp-json the web server of such a site may answer 404 by itself. The roots of other
// languages are not tried: any directory may have the root of the default language.
func (o *Options) plainRoot(ctx context.Context, b *Backend, f *Finding) string {
	site, cut := strings.CutSuffix(f.Upstream, siteurl.Prefix)
	if !cut || b.Name != upstream.LegacyName || f.Language != o.Site[0].Code {
		return ""
	}
	root := site + siteurl.PlainPermalinks
	legacy := o.LegacyAt(map[string]string{f.Language: root})
	got, _, err := legacy.Client.Do(ctx, root, indexRequest)
	var index restIndex
	if err != nil || got.Status != http.StatusOK || json.Unmarshal(got.Body, &index) != nil || len(index.Namespaces) == 0 {
		return ""
	}
	return root
}
