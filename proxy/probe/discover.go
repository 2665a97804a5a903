package probe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Discovered is what the pages of a site show about its REST roots.
type Discovered struct {
	Roots i18n.Site // the default language first; at least one. No two have the same Root, which is the site's if it can be.
	Notes []string  // what could not be found out
}

// Discover reads the page at a URL of a WordPress site and its translations. Each page names its REST root
// in the header field Link (recordings site/*/home-head, plain/fr/home-head, prefix/fr/home-head), which
// security plugins may remove, and in its head; the head also names the translations (hreflang, as
// in recordings translatepress/en/root-unknown-dir and polylang/mixed/plain-root-pretty). A REST
// root is a valid URL too. A site that calls itself by another host than the URL, such as a copy for tests,
// is read at the host of the URL if that has a REST root. basicAuth has the credentials (user:password) for
// the host of the URL alone; "" for none.
func Discover(ctx context.Context, client *http.Client, at, basicAuth string) (d Discovered, err error) {
	v := &visit{client: client, basicAuth: basicAuth}
	if u, err := url.Parse(at); err == nil {
		v.host = u.Host
	}
	start, err := v.readPage(ctx, at)
	if err != nil {
		return d, err
	}
	if start.home != "" {
		root := start.root
		v.stay(start.url, start.home)
		if start, err = v.readPage(ctx, start.home); err != nil {
			return d, err
		}
		start.root = cmp.Or(start.root, root)
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
	if v.named != "" {
		d.Notes = append(d.Notes, fmt.Sprintf("the site calls itself %s; calls go to %s", v.named, v.origin))
	}
	language := start.language
	if !slices.Contains(i18n.Codes, language) {
		language = i18n.Codes[0]
		d.Notes = append(d.Notes, fmt.Sprintf("the start page has the language %q, which this program does not have: %q stands for it",
			start.language, language))
	}
	d.add(language, start.root)
	for _, code := range i18n.Codes {
		if link := start.translations[code]; code != language && link != "" {
			d.addTranslation(ctx, v, code, link)
		}
	}
	return d, nil
}

// addTranslation adds the root that a translation of the start page names.
func (d *Discovered) addTranslation(ctx context.Context, v *visit, code, link string) {
	page, err := v.readPage(ctx, link)
	switch {
	case err != nil:
		d.Notes = append(d.Notes, fmt.Sprintf("the language %s is left out: %v", code, err))
	case page.root == "":
		d.Notes = append(d.Notes, fmt.Sprintf("the language %s is left out: %s names no REST root (%s)", code, page.url, page.shows))
	default:
		d.add(code, page.root)
	}
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

// visit reads pages.
type visit struct {
	client          *http.Client
	host, basicAuth string
	named, origin   string // where the site says that it is, and where it is read; "" if these are the same
}

// stay makes the visit read what the site has at the host of a link at the host of a page instead, and reports whether
// these differ.
func (v *visit) stay(page, link string) bool {
	here, err := url.Parse(page)
	there, invalid := url.Parse(link)
	if err != nil || invalid != nil || there.Host == "" || there.Host == here.Host {
		return false
	}
	v.named, v.origin = there.Scheme+"://"+there.Host, here.Scheme+"://"+here.Host
	return true
}

// reach returns the address at which a URL of the site is read.
func (v *visit) reach(url string) string {
	if rest, ok := strings.CutPrefix(url, v.named); ok && v.named != "" && (rest == "" || rest[0] == '/') {
		return v.origin + rest
	}
	return url
}

// page is what a page of a site, or the index of a REST root, shows.
type page struct {
	url          string // after redirects
	root         string // "" for none
	isIndex      bool
	home         string            // of an index: the start page; else ""
	language     string            // a code; "" for unknown
	translations map[string]string // URLs by code
	shows        string            // status and title, for errors
}

// maxPage is how much of a page is read, in bytes: its head.
const maxPage = 1 << 20

// readPage reads a page, and follows redirects.
func (v *visit) readPage(ctx context.Context, address string) (*page, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, v.reach(address), nil)
	if err != nil {
		return nil, err
	}
	if user, password, ok := strings.Cut(v.basicAuth, ":"); ok && request.URL.Host == v.host {
		request.SetBasicAuth(user, password) // which no other host gets by a redirect
	}
	response, err := v.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxPage))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", address, err)
	}
	at := response.Request.URL
	p := &page{url: upstream.BareURL(at.String()), root: linkedRoot(response.Header), translations: map[string]string{}}
	p.shows = fmt.Sprintf("status %d", response.StatusCode)
	if title := title(upstream.Response{Reply: mapping.Reply{Header: response.Header, Body: body}}); title != "" {
		p.shows += fmt.Sprintf(", titled %q", title)
	}
	if response.Header.Get("Www-Authenticate") != "" {
		p.shows += ": it requires credentials: set CALFACADE_UPSTREAM_BASIC_AUTH to USER:PASSWORD"
	}
	var index restIndex
	if json.Unmarshal(body, &index) == nil && index.Namespaces != nil {
		p.root, p.home, p.isIndex = siteurl.Root(at.String()), index.Home, true
		return p, nil
	}
	p.readHead(body, at)
	if plain := "http://" + at.Host; at.Scheme == "https" && strings.HasPrefix(p.root, plain+"/") {
		p.root = "https" + strings.TrimPrefix(p.root, "http") // a proxy in front of the site has the certificate
	}
	p.root = v.reach(p.root)
	return p, nil
}

// readHead reads the language and the links in the head of a page.
func (p *page) readHead(body []byte, base *url.URL) {
	for z := html.NewTokenizer(bytes.NewReader(body)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			attributes := map[string]string{}
			for _, a := range t.Attr {
				attributes[a.Key] = a.Val
			}
			switch t.DataAtom {
			case atom.Html:
				p.language = code(attributes["lang"])
			case atom.Link:
				p.readLink(attributes, base)
			case atom.Body:
				return
			}
		}
	}
}

// readLink reads a link element.
func (p *page) readLink(attributes map[string]string, base *url.URL) {
	to, err := base.Parse(attributes["href"])
	if err != nil {
		return
	}
	switch language := code(attributes["hreflang"]); attributes["rel"] {
	case "https://api.w.org/":
		p.root = cmp.Or(p.root, rootOf(to.String()))
	case "alternate":
		if p.translations[language] == "" { // of several regions the first
			p.translations[language] = to.String()
		}
	}
}

// code returns the code of a language tag: "es" of "es-MX".
func code(tag string) string {
	primary, _, _ := strings.Cut(tag, "-")
	return strings.ToLower(primary)
}
