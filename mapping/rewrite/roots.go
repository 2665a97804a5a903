package rewrite

import (
	"bytes"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// RootURLs is one REST root, with the legacy's URL and the facade's URL.
type RootURLs struct {
	Language string   // code of the language that the root serves
	Upstream string   // "https://legacy.example.org/es/wp-json", see [siteurl.Root]; "" without the language
	Public   string   // "https://api.example.org/es/wp-json", no slash at the end
	Aliases  []string // other URLs of the site of Upstream in the links of this language

	home string // URL of the site; "" if the backend lacks the language; see New
}

// Base is the public URL of the namespace below the root.
func (r RootURLs) Base() string { return r.Public + "/" + mapping.Namespace }

// Naming returns the query with which the root of an index answers in the language code; "" if no query is
// necessary. Of roots that share a public URL the first answers.
func Naming(roots []RootURLs, root int, code string) string {
	first := slices.IndexFunc(roots, func(r RootURLs) bool { return r.Public == roots[root].Public })
	if code == "" || code == roots[first].Language {
		return ""
	}
	return "?" + mapping.Language.Name + "=" + code
}

// directory is a directory of a site in which links have the REST interface of a root.
type directory struct {
	siteurl.Site
	root   int
	prefix []byte // also begins the REST interface there; nil permits only the usual prefix
	bare   bool   // all that is below is the REST interface
}

// cutRoot cuts the root of the REST interface off, which has another prefix than the usual one, or no prefix.
func (p *directory) cutRoot(host, path []byte) (route []byte, ok bool) {
	route, ok = p.Cut(host, path)
	if !ok || p.bare {
		return route, ok
	}
	if tail, ok := siteurl.Cut(route, siteurl.IndexName); ok {
		route = tail
	}
	return siteurl.Cut(route, p.prefix)
}

// homesOf returns the site of each root. Languages of one host are of one site, which is the directory above
// all languages: images and drafts are beside the directories of the languages.
func homesOf(d *mapping.Dialect, roots []RootURLs) []siteurl.Site {
	homes := make([]siteurl.Site, len(roots))
	shared := map[string][]byte{} // paths by host
	for i, root := range roots {
		if root.Upstream == "" {
			continue
		}
		url, _ := d.SplitRoot(root.Upstream)
		homes[i] = siteurl.At(url)
		path := homes[i].Path
		host := strings.ToLower(string(homes[i].Host))
		n := len(path) - len(root.Language) - 1
		if root.Language != "" && n >= 0 && strings.EqualFold(string(path[n:]), "/"+root.Language) {
			path = path[:n] // without the directory of the language
		}
		if common, ok := shared[host]; ok {
			path = commonPath(path, common)
		}
		shared[host] = path
	}
	for i := range homes {
		homes[i].Path = shared[strings.ToLower(string(homes[i].Host))]
	}
	return homes
}

// commonPath returns the segments with which both paths begin.
func commonPath(a, b []byte) []byte {
	for {
		if _, isInside := siteurl.Cut(b, a); isInside {
			return a
		}
		a = a[:bytes.LastIndexByte(a, '/')]
	}
}
