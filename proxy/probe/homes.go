package probe

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// homes are the start pages of languages. The pages of items are below that of their
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
