package probe

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/crawl"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// unknownParam is a parameter that no site has. Lists that differ with it differ anyway.
const unknownParam = "calfacade_made_up"

// query is a list below a REST root, with a parameter that names a language.
type query struct {
	list  *mapping.Call
	url   string // of the root
	param string // "" for none
	code  string // of the language that param names
}

// listSample has what differs by language on the first page of a list.
type listSample struct {
	err       error
	total     int
	ids       []string
	words     []string       // parallel to ids
	languages map[string]int // number of items by the language of their URLs
}

// sameItems reports whether two lists have the same items.
func (s listSample) sameItems(o listSample) bool {
	return s.err == nil && o.err == nil && s.total == o.total && slices.Equal(s.ids, o.ids)
}

// same reports whether they have the same texts, too.
func (s listSample) same(o listSample) bool { return s.sameItems(o) && slices.Equal(s.words, o.words) }

// shares reports whether another list has an item of this one, with the same text.
func (s listSample) shares(o listSample) bool {
	for i, id := range s.ids {
		if at := slices.Index(o.ids, id); at >= 0 && o.words[at] == s.words[i] {
			return true
		}
	}
	return false
}

// differ reports whether all lists were received and no two are the same.
func differ(samples []listSample) bool {
	for i, s := range samples {
		if s.err != nil || slices.ContainsFunc(samples[:i], s.same) {
			return false
		}
	}
	return true
}

// get requests a list once.
func (c *comparison) get(ctx context.Context, q query) listSample {
	s, ok := c.known[q]
	if !ok {
		s = c.fetch(ctx, q)
		c.known[q] = s
	}
	return s
}

func (c *comparison) fetch(ctx context.Context, q query) listSample {
	b, root := c.backendOf(q.url)
	b.Dialect.LanguageParam = q.param
	got, err := b.read(ctx, q.url, upstream.RequestOf(b.Dialect.Translate(q.list, q.code), upstream.Read))
	if err == nil {
		got, err = b.Client.Convert(ctx, q.list, i18n.Choice{Index: root, Tell: q.code}, got)
	}
	if err != nil {
		return listSample{err: err}
	}
	page, err := crawl.ReadPage(q.list, got.Body)
	if err != nil {
		return listSample{err: rewrite.ErrNotJSON} // err may quote the body
	}
	s := listSample{total: page.Total, languages: map[string]int{}}
	for _, item := range page.Items {
		s.ids = append(s.ids, item.ID)
		s.words = append(s.words, crawl.Words(q.list, item))
		if code := c.homes.languageOf(item.Page()); code != "" {
			s.languages[code]++
		}
	}
	return s
}

// backendOf returns the backend that has a root, and the index of the root.
func (c *comparison) backendOf(url string) (b Backend, root int) {
	for _, b := range []*Backend{c.legacy, &c.derived} {
		if i := slices.IndexFunc(b.Roots, func(r rewrite.Root) bool { return r.Upstream == url }); i >= 0 {
			return *b, i
		}
	}
	panic("BUG: a root of no backend: " + url)
}

// homes are the start pages of languages, by URL without scheme, and without a slash at the end.
// The pages of items are below the start page of their language.
type homes map[string]string

// languageOf returns the language of the page at link; "" if the link does not show it. With
// plain permalinks a parameter does.
func (h homes) languageOf(link string) (code string) {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" {
		return ""
	}
	if named := u.Query().Get(pagesParam); named != "" {
		return named
	}
	for page := u.Host + u.Path; page != ""; page = page[:max(strings.LastIndexByte(page, '/'), 0)] {
		if code, ok := h[page]; ok {
			return code
		}
	}
	return ""
}

// pagesParam names the language in the links of Polylang and WPML to pages.
const pagesParam = "lang"

// homesOf reads the start pages from the index of each root and from the languages of
// Polylang. Without either, a language is assumed in a directory below the default's.
func homesOf(roots []*root, plugin []pluginLanguage) homes {
	all := homes{}
	add := func(code, link string) {
		_, rest, found := strings.Cut(link, "://")
		rest = strings.TrimSuffix(rest, "/")
		if _, known := all[rest]; found && !known {
			all[rest] = code
		}
	}
	add(roots[0].Language, roots[0].index.Home)
	for _, p := range plugin {
		code := p.Slug // Polylang may have more languages than the proxy
		if i := slices.IndexFunc(roots, func(r *root) bool { return strings.EqualFold(r.code(), p.Slug) }); i >= 0 {
			code = roots[i].Language
		}
		add(code, p.HomeURL)
	}
	for _, r := range roots {
		add(r.Language, r.index.Home)
		add(r.Language, strings.TrimSuffix(roots[0].index.Home, "/")+"/"+r.code())
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
func (r *root) pluginLanguages(ctx context.Context) []pluginLanguage {
	if !slices.Contains(r.index.Namespaces, polylangNamespace) {
		return nil
	}
	got, err := r.backend.read(ctx, r.Upstream, get("/"+polylangNamespace+"/languages"))
	var list []pluginLanguage
	if err != nil || json.Unmarshal(got.Body, &list) != nil {
		return nil
	}
	return list
}
