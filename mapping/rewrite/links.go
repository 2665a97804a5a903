package rewrite

import (
	"bytes"
	"net/url"
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
}

// directory is a directory of a site in which links have the REST interface of a root.
type directory struct {
	siteurl.Site
	root   int
	prefix []byte // begins the REST interface there as well; nil for the usual one alone
	bare   bool   // all that is below is the REST interface
}

// restLink finds which root a URL is below, and what follows the root. Of roots
// that share a URL the answering one wins, then the longest. One that no root is
// known for, in another directory of the site, belongs to the answering one.
func (r *Rewriter) restLink(s []byte, answering int) (root int, rest []byte, ok bool) {
	host, path, isURL := siteurl.Locate(s)
	if !isURL || !siteurl.Ends(path) {
		return 0, nil, false
	}
	dir, route, isREST := siteurl.SplitREST(path)
	best := -1
	for i := range r.directories {
		p := &r.directories[i]
		after, found := route, isREST && siteurl.EqualFold(host, p.Host) && siteurl.EqualFold(dir, p.Path)
		if p.bare || p.prefix != nil && !found {
			after, found = p.rest(host, path)
		}
		if !found || len(p.Path) < best || len(p.Path) == best && p.root != answering {
			continue
		}
		root, rest, best = p.root, after, len(p.Path)
	}
	if best >= 0 {
		return root, rest, true
	}
	return answering, route, isREST && r.ours(host, path)
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

// ours reports whether the URL of host and path is one of the site.
func (r *Rewriter) ours(host, path []byte) bool {
	return slices.ContainsFunc(r.sites, func(u siteurl.Site) bool { _, below := u.Cut(host, path); return below })
}

// Knows reports whether a URL is recognized as one of the site.
func (r *Rewriter) Knows(url string) bool {
	u := siteurl.At(url)
	return r.ours(u.Host, u.Path)
}

// answering is the root that answers, and with what its links name the language
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

// link is a URL in three parts: one of the configuration, what follows it in
// the legacy's, and the language.
type link struct{ head, rest, naming []byte }

func (l link) is(s []byte) bool {
	rest, found := bytes.CutPrefix(s, l.head)
	rest, ends := bytes.CutSuffix(rest, l.naming)
	return found && ends && bytes.Equal(rest, l.rest)
}

// neutral returns a REST link in the neutral namespace. ok is false if it is none
// of the namespace's.
func (r *Rewriter) neutral(s []byte, at answering) (l link, ok bool) {
	root, route, ok := r.restLink(s, at.root)
	if !ok {
		return link{}, false
	}
	rest, ok := siteurl.Cut(route, r.namespace)
	return r.linkTo(root, rest, at), ok
}

// mustNeutral is neutral for what can only be a REST link: one below a host that
// is not configured belongs to the root that answers.
func (r *Rewriter) mustNeutral(s []byte, at answering) (l link, ok bool) {
	if l, ok = r.neutral(s, at); ok {
		return l, true
	}
	_, route, isREST := siteurl.SplitREST(s)
	if i := bytes.Index(s, r.namespace); !isREST && i >= 0 {
		route = s[i:]
	}
	rest, ok := siteurl.Cut(route, r.namespace)
	return r.linkTo(at.root, rest, at), ok
}

// linkTo makes the link to what follows the namespace of a root.
func (r *Rewriter) linkTo(root int, rest []byte, at answering) link {
	naming := r.naming[root]
	if root == at.root {
		naming = at.naming
	}
	if bytes.IndexByte(rest, '?') >= 0 {
		named := false
		if rest, named = r.neutralQuery(rest); named {
			naming = nil
		} else if len(naming) > 0 {
			naming = append([]byte("&"), naming[1:]...)
		}
	}
	return link{r.bases[root], r.backend.IDs.LegacyPath(rest), naming}
}

// neutralQuery returns the language parameter its neutral name, and reports whether
// it is there.
func (r *Rewriter) neutralQuery(rest []byte) (neutral []byte, named bool) {
	if r.backend.LanguageParam == "" {
		return rest, false
	}
	theirs := []byte(r.backend.LanguageParam + "=")
	neutral = siteurl.EditQuery(rest, func(pair []byte) []byte {
		value, isLanguage := bytes.CutPrefix(pair, theirs)
		if !isLanguage {
			return pair
		}
		named = true
		return append([]byte(mapping.Language.Name+"="), r.languageOf(value)...)
	})
	return neutral, named
}

// languageOf is the code of a language as the backend names it in a query.
func (r *Rewriter) languageOf(named []byte) []byte {
	for code, word := range r.backend.Languages {
		if url.QueryEscape(word) == string(named) {
			return []byte(code)
		}
	}
	return named
}

// neutrally begins a machine name instead of the vendor.
var neutrally = []byte("calendar_")

// machineName returns a taxonomy's neutral name.
func (r *Rewriter) machineName(s []byte) link {
	if rest, ok := bytes.CutPrefix(s, r.vendor); ok && len(r.vendor) > 0 {
		return link{head: neutrally, rest: rest}
	}
	return link{rest: s}
}
