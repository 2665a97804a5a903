package mapping

import (
	"bytes"
	"net/url"
	"strings"
)

// Root is one REST root: where the legacy has it, and where the facade shows it.
type Root struct {
	Language string // code of the language that it serves
	Upstream string // "https://legacy.example.org/es/wp-json", no slash at the end; "" where a backend lacks the language
	Public   string // "https://api.example.org/es/wp-json", likewise
}

// Base is the public URL of the namespace below the root.
func (r Root) Base() string { return r.Public + "/" + Namespace }

// Rewriter turns what the legacy says into what the facade says. It is
// read-only after NewRewriter and safe for concurrent use.
type Rewriter struct {
	backend   Backend
	roots     []Root
	namespace []byte   // "/tribe/events/v1"
	bases     [][]byte // of the roots, in their order
	places    []place
	sites     [][]byte // "legacy.example.org/path", without scheme
	site      []byte   // where pages are shown, empty for where they are
	vendor    []byte   // begins the backend's machine names, empty for neutral ones
	postType  []byte   // how the query of a link to a draft begins, likewise
}

// place is one spelling of a root's URL.
type place struct {
	prefix []byte // "legacy.example.org/es/wp-json", without scheme
	root   int
}

// Spellings are what the site is called in its own links.
type Spellings struct {
	Aliases []string // other URLs of the site, beside the one in the roots
	Pages   string   // the URL to show pages and images at; "" to leave them
}

// NewRewriter prepares for the roots of one site. The first root is the
// default's.
func NewRewriter(backend Backend, roots []Root, spellings Spellings) *Rewriter {
	r := &Rewriter{
		backend: backend, roots: roots,
		namespace: []byte("/" + backend.Place()),
		vendor:    []byte(backend.Dialect.Vendor),
		site:      []byte(strings.TrimSuffix(spellings.Pages, "/")),
	}
	if len(r.vendor) > 0 {
		r.postType = []byte("?post_type=" + backend.Dialect.Vendor)
	}
	homes := homesOf(roots)
	for i, root := range roots {
		r.bases = append(r.bases, []byte(root.Base()))
		if root.Upstream == "" {
			continue
		}
		prefix := withoutScheme(root.Upstream)
		r.places = append(r.places, place{[]byte(prefix), i})
		below, same := strings.CutPrefix(prefix, homes[0])
		if !same {
			continue // a host of its own: the aliases are not its
		}
		for _, alias := range spellings.Aliases {
			r.places = append(r.places, place{[]byte(siteAlias(alias) + below), i})
		}
	}
	for _, home := range homes {
		r.sites = append(r.sites, []byte(home))
	}
	for _, alias := range spellings.Aliases {
		r.sites = append(r.sites, []byte(siteAlias(alias)))
	}
	return r
}

func siteAlias(url string) string { return strings.TrimSuffix(withoutScheme(url), "/") }

// homesOf gives the sites of the roots, the default's first. /es of a site is
// no site of its own, also where the backend lacks the default, which is above it.
func homesOf(roots []Root) []string {
	var homes []string
	for _, root := range roots {
		if root.Upstream == "" {
			continue
		}
		site := SiteOf(withoutScheme(root.Upstream))
		if roots[0].Upstream == "" {
			site = strings.TrimSuffix(site, "/"+root.Language)
		}
		known := false
		for i, home := range homes {
			if _, above := cutURL([]byte(home), []byte(site)); above {
				homes[i] = site
			}
			_, below := cutURL([]byte(site), []byte(homes[i]))
			known = known || below
		}
		if !known {
			homes = append(homes, site)
		}
	}
	return homes
}

// SiteOf gives the site of a REST root: what stands before WordPress's own part.
func SiteOf(root string) string {
	root = strings.TrimSuffix(root, "/wp-json")
	return strings.TrimSuffix(root, "/index.php")
}

// withoutScheme gives host and path; links say http where https is meant and
// the other way round.
func withoutScheme(s string) string {
	if _, rest, found := strings.Cut(s, "://"); found {
		return rest
	}
	return s
}

// cutURL reports whether s is prefix, or goes on below it, and gives the rest.
func cutURL(s, prefix []byte) (rest []byte, ok bool) {
	rest, ok = cutFold(s, prefix)
	return rest, ok && (len(rest) == 0 || rest[0] == '/' || rest[0] == '?' || rest[0] == '#')
}

// cutFold cuts prefix off, however its letters are written.
func cutFold(s, prefix []byte) (rest []byte, ok bool) {
	n := len(prefix)
	if len(s) < n || !bytes.HasPrefix(s, prefix) && !bytes.EqualFold(s[:n], prefix) {
		return nil, false
	}
	return s[n:], true
}

var schemes = [...][]byte{[]byte("https://"), []byte("http://")}

// afterScheme gives what follows the scheme of an http(s) URL.
func afterScheme(s []byte) (rest []byte, ok bool) {
	for _, scheme := range schemes {
		if rest, ok = cutFold(s, scheme); ok {
			return rest, true
		}
	}
	return nil, false
}

// endsURL reports whether s, which follows the beginning of a URL, is the end of
// that and of nothing else.
func endsURL(s []byte) bool { return !bytes.ContainsAny(s, " \t\r\n<>\"") }

// restLink finds which root a URL is below, and what follows the root. Of roots
// that share a URL the answering one wins, then the longest.
func (r *Rewriter) restLink(s []byte, answering int) (root int, rest []byte, ok bool) {
	s, isURL := afterScheme(s)
	if !isURL {
		return 0, nil, false
	}
	best := -1
	for i := range r.places {
		p := &r.places[i]
		after, found := cutURL(s, p.prefix)
		if !found || len(p.prefix) < best || len(p.prefix) == best && p.root != answering {
			continue
		}
		root, rest, best = p.root, after, len(p.prefix)
	}
	return root, rest, best >= 0 && endsURL(rest)
}

// link is a URL in two parts: one that the configuration gives, and what follows
// it in the legacy's.
type link struct{ head, rest []byte }

func (l link) is(s []byte) bool {
	rest, found := bytes.CutPrefix(s, l.head)
	return found && bytes.Equal(rest, l.rest)
}

// neutral gives a REST link in the neutral namespace. ok is false if it is none
// of the namespace's.
func (r *Rewriter) neutral(s []byte, answering int) (l link, ok bool) {
	root, rest, ok := r.restLink(s, answering)
	if !ok {
		return link{}, false
	}
	rest, ok = cutURL(rest, r.namespace)
	return link{r.bases[root], r.backend.IDs.inPath(r.neutralQuery(rest))}, ok
}

// mustNeutral is neutral for what can only be a REST link: one below a host that
// nobody configured belongs to the root that answers.
func (r *Rewriter) mustNeutral(s []byte, answering int) (l link, ok bool) {
	if l, ok = r.neutral(s, answering); ok {
		return l, true
	}
	i := bytes.Index(s, r.namespace)
	if i < 0 {
		return link{}, false
	}
	rest, ok := cutURL(s[i:], r.namespace)
	return link{r.bases[answering], r.backend.IDs.inPath(r.neutralQuery(rest))}, ok
}

func (r *Rewriter) neutralQuery(rest []byte) []byte {
	path, query, found := bytes.Cut(rest, []byte("?"))
	if !found || r.backend.LanguageParam == "" {
		return rest
	}
	out := append(path[:len(path):len(path)], '?')
	for i, pair := range bytes.Split(query, []byte("&")) {
		if i > 0 {
			out = append(out, '&')
		}
		if value, ok := bytes.CutPrefix(pair, []byte(r.backend.LanguageParam+"=")); ok {
			out = append(out, Language.Name+"="...)
			pair = r.languageOf(value)
		}
		out = append(out, pair...)
	}
	return out
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

// pageStays reports whether s, the URL of a page as JSON has it, is what clients
// see.
func (r *Rewriter) pageStays(s []byte) bool {
	return len(r.site) == 0 && !r.hasPostType(s)
}

// page gives the URL of a page of the site as clients see it: shown at the
// configured place, and without the vendor's post type, which a link to a draft
// has (/?post_type=…&p=591; /?p=591 is the same page).
func (r *Rewriter) page(s []byte) link {
	after, isURL := afterScheme(s)
	if !isURL {
		return link{rest: s}
	}
	for _, site := range r.sites {
		rest, ok := cutURL(after, site)
		if !ok || !endsURL(rest) {
			continue
		}
		head := s[:len(s)-len(rest)]
		if len(r.site) > 0 {
			head = r.site
		}
		return link{head, r.withoutPostType(rest)}
	}
	return link{rest: s}
}

func (r *Rewriter) hasPostType(s []byte) bool {
	return len(r.postType) > 0 && bytes.Contains(s, r.postType)
}

func (r *Rewriter) withoutPostType(rest []byte) []byte {
	if !r.hasPostType(rest) {
		return rest
	}
	before, after, _ := bytes.Cut(rest, r.postType)
	_, after, found := bytes.Cut(after, []byte("&"))
	if !found {
		return before
	}
	after = bytes.TrimPrefix(bytes.TrimPrefix(after, []byte("amp;")), []byte("#038;"))
	return append(append(before[:len(before):len(before)], '?'), after...)
}

// neutrally begins a machine name in place of the vendor.
var neutrally = []byte("calendar_")

// machineName gives a taxonomy's neutral name.
func (r *Rewriter) machineName(s []byte) link {
	if rest, ok := bytes.CutPrefix(s, r.vendor); ok && len(r.vendor) > 0 {
		return link{neutrally, rest}
	}
	return link{rest: s}
}
