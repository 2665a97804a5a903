package rewrite

import (
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// Root is one REST root: where the legacy has it, and where the facade shows it.
type Root struct {
	Language string   // code of the language that it serves
	Upstream string   // "https://legacy.example.org/es/wp-json", as [siteurl.Root] has it; "" where a backend lacks the language
	Public   string   // "https://api.example.org/es/wp-json", no slash at the end
	Aliases  []string // other URLs of the site of Upstream in the links of this language
}

// Base is the public URL of the namespace below the root.
func (r Root) Base() string { return r.Public + "/" + mapping.Namespace }

// Naming returns the query with which the root of an index answers in the language
// code; "" where it does so without one. Of roots that share a public URL the first
// answers.
func Naming(roots []Root, root int, code string) string {
	first := slices.IndexFunc(roots, func(r Root) bool { return r.Public == roots[root].Public })
	if code == "" || code == roots[first].Language {
		return ""
	}
	return "?" + mapping.Language.Name + "=" + code
}

// Spellings are what the site is called in its own links.
type Spellings struct {
	Aliases   []string // other URLs of the default language's site; see also [Root.Aliases]
	Pages     string   // the URL to show pages and images at; "" to leave them
	WordPress string   // the URL that images are below, where that is not below the site; "" otherwise

	Legacy *LegacyNames // names in which some clients are served; nil: all speak the neutral ones
}

// Rewriter turns responses of the legacy into those of the facade. It is
// read-only after NewRewriter and safe for concurrent use.
type Rewriter struct {
	backend     mapping.Backend
	roots       []Root
	namespace   []byte   // "/tribe/events/v1"
	bases       [][]byte // of the roots, in their order
	naming      [][]byte // likewise, as [Naming] has it for their own language
	homes       []string // URLs of their sites, likewise; "" where the backend lacks the language
	images      string   // the URL that images are below, instead of the site's; "" for that
	directories []directory
	sites       []siteurl.Site // all spellings
	shown       []byte         // URL of the site where pages are shown, empty for where they are
	vendor      []byte         // begins the backend's machine names, empty for neutral ones
	postType    []byte         // the parameter of a link to a draft, likewise
	legacy      *LegacyNames   // of responses to [mapping.Call.OldNames]; nil: there are none
}

// directory is a directory of a site in which links have the REST interface of a root.
type directory struct {
	siteurl.Site
	root   int
	prefix []byte // begins the REST interface there as well; nil for the usual one alone
	bare   bool   // all that is below is the REST interface
}

// rest cuts the root of the REST interface off, which has another prefix than the usual
// one, or none.
func (p *directory) rest(host, path []byte) (route []byte, ok bool) {
	route, ok = p.Cut(host, path)
	if !ok || p.bare {
		return route, ok
	}
	if below, found := siteurl.Cut(route, siteurl.IndexName); found {
		route = below
	}
	return siteurl.Cut(route, p.prefix)
}

// Knows reports whether a URL is recognized as one of the site.
func (r *Rewriter) Knows(url string) bool {
	u := siteurl.At(url)
	return r.ours(u.Host, u.Path)
}

// ours reports whether the URL of host and path is one of the site.
func (r *Rewriter) ours(host, path []byte) bool {
	return slices.ContainsFunc(r.sites, func(u siteurl.Site) bool { _, below := u.Cut(host, path); return below })
}

// answering is the root that responds, and with what its links name the language
// of the request.
type answering struct {
	root   int
	naming []byte
}

func (r *Rewriter) answering(c *mapping.Call, root int) answering {
	if c.Language == "" {
		return answering{root, r.naming[root]}
	}
	return answering{root, []byte(Naming(r.roots, root, c.Language))}
}

// linked is a list call as its links are made, which name the language.
func (r *Rewriter) linked(c *mapping.Call, at answering) *mapping.Call {
	if _, named := c.Argument(&mapping.Language); named || len(at.naming) == 0 || c.Endpoint.Action != mapping.List {
		return c
	}
	out := *c
	arg := mapping.Arg{Param: &mapping.Language, Text: r.roots[at.root].Language}
	i, _ := slices.BinarySearchFunc(c.Query, mapping.Language.Name, func(a mapping.Arg, name string) int { return strings.Compare(a.Param.Name, name) })
	out.Query = slices.Insert(slices.Clone(c.Query), i, arg)
	return &out
}
