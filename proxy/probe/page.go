package probe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// page has the facts that a page of a site, or the index of a REST root, shows.
type page struct {
	url          string // after redirects
	root         string // "" without a link
	isIndex      bool
	namespace    string            // of the index; "" if the page is no index
	home         string            // of an index: the start page; else ""
	language     string            // a code; "" for unknown
	translations map[string]string // URLs by code
	shows        string            // status and title, for errors
}

// readPage reads a page, and follows redirects.
func (v *visit) readPage(ctx context.Context, address string) (*page, error) {
	response, u, err := v.get(ctx, address)
	if err != nil {
		return nil, err
	}
	p := &page{url: bare(u), root: linkedRoot(response.Header), translations: map[string]string{}}
	p.shows = fmt.Sprintf("status %d", response.Status)
	title := title(response)
	if title != "" {
		p.shows += fmt.Sprintf(", titled %q", title)
	}
	if response.Header.Get("Www-Authenticate") != "" {
		p.shows += ": it requires credentials: set CALFACADE_UPSTREAM_BASIC_AUTH to USER:PASSWORD"
	}
	var index restIndex
	if json.Unmarshal(response.Body, &index) == nil && index.Namespaces != nil {
		p.root = siteurl.Root(u.String())
		p.home = index.Home
		p.isIndex = true
		return p, nil
	}
	if root, ok := strings.CutSuffix(strings.TrimRight(u.String(), "/"), "/"+index.Namespace); ok && index.Namespace != "" {
		p.root = root
		p.namespace = index.Namespace
		p.language = code(response.Header.Get("Content-Language"))
		return p, nil
	}
	head := readHead(response.Body, u)
	p.root = cmp.Or(p.root, head.root)
	p.translations = head.translations
	p.language = head.languageOf(func(link string) bool { return samePage(v.reach(link), u) })
	plain := "http://" + u.Host
	if u.Scheme == "https" && strings.HasPrefix(p.root, plain+"/") {
		p.root = "https" + strings.TrimPrefix(p.root, "http") // a proxy in front of the site has the certificate
	}
	p.root = v.reach(p.root)
	return p, nil
}

// samePage reports whether a link leads to the page at u.
func samePage(link string, u *url.URL) bool {
	target, err := url.Parse(link)
	return err == nil && strings.EqualFold(target.Host, u.Host) && target.RawQuery == u.RawQuery &&
		strings.TrimRight(target.Path, "/") == strings.TrimRight(u.Path, "/")
}

// head has the facts of the head of a page.
type head struct {
	language     string // of the element html: a code; "" for unknown
	root         string // "" without a link
	links        []translation
	translations map[string]string // URLs by code; of several regions the first
}

// translation is a link to a page in a language.
type translation struct{ code, url string }

// languageOf returns the language of a page. The code by which a page lists its own URL is the code of the page's
// translations, and comes before the attribute lang, which themes and translations of WordPress get wrong.
func (h head) languageOf(isOwn func(link string) bool) string {
	var codes []string
	for _, link := range h.links {
		if slices.Contains(i18n.Codes, link.code) && isOwn(link.url) {
			codes = append(codes, link.code)
		}
	}
	if len(codes) == 0 || slices.Contains(codes, h.language) {
		return h.language
	}
	return codes[0]
}

// readHead reads the head of a page.
func readHead(body []byte, base *url.URL) head {
	h := head{translations: map[string]string{}}
	for z := html.NewTokenizer(bytes.NewReader(body)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return h
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			attributes := map[string]string{}
			for _, a := range t.Attr {
				attributes[a.Key] = a.Val
			}
			switch t.DataAtom {
			case atom.Html:
				h.language = code(attributes["lang"])
			case atom.Link:
				h.readLink(attributes, base)
			case atom.Body:
				return h
			}
		}
	}
}

// readLink reads a link element.
func (h *head) readLink(attributes map[string]string, base *url.URL) {
	target, err := base.Parse(attributes["href"])
	if err != nil {
		return
	}
	language := code(attributes["hreflang"])
	switch attributes["rel"] {
	case "https://api.w.org/":
		if h.root == "" {
			h.root = rootOf(target.String())
		}
	case "alternate":
		h.links = append(h.links, translation{code: language, url: target.String()})
		if h.translations[language] == "" {
			h.translations[language] = target.String()
		}
	}
}

// code returns the code of a language tag: "es" of "es-MX".
func code(tag string) string {
	primary, _, _ := strings.Cut(tag, "-")
	return strings.ToLower(primary)
}
