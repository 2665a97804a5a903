package mapping

import (
	"strings"
)

// Root is one REST root: where the legacy has it, and where the facade shows it.
type Root struct {
	Language string // code of the language that it serves
	Upstream string // "https://legacy.example.org/es/wp-json", no slash at the end
	Public   string // "https://api.example.org/es/wp-json", likewise
}

// Base is the public URL of the namespace below the root.
func (r Root) Base() string { return r.Public + "/" + Namespace }

// Rewriter turns what the legacy says into what the facade says. It is
// read-only after NewRewriter and safe for concurrent use.
type Rewriter struct {
	legacy Legacy
	roots  []Root
	places []place
	sites  []string // "legacy.example.org/path", without scheme
	site   string   // where pages are shown, "" for where they are
}

// place is one spelling of a root's URL.
type place struct {
	prefix string // "legacy.example.org/es/wp-json", without scheme
	root   int
}

// Spellings are what the site is called in its own links.
type Spellings struct {
	Aliases []string // other URLs of the site, beside the one in the roots
	Pages   string   // the URL to show pages and images at; "" to leave them
}

// NewRewriter prepares for the roots of one site. The first root is the
// default's.
func NewRewriter(legacy Legacy, roots []Root, spellings Spellings) *Rewriter {
	r := &Rewriter{legacy: legacy, roots: roots, site: strings.TrimSuffix(spellings.Pages, "/")}
	homes := homesOf(roots)
	for i, root := range roots {
		prefix := withoutScheme(root.Upstream)
		r.places = append(r.places, place{prefix, i})
		below, same := strings.CutPrefix(prefix, homes[0])
		if !same {
			continue // a host of its own: the aliases are not its
		}
		for _, alias := range spellings.Aliases {
			r.places = append(r.places, place{strings.TrimSuffix(withoutScheme(alias), "/") + below, i})
		}
	}
	r.sites = homes
	for _, alias := range spellings.Aliases {
		r.sites = append(r.sites, strings.TrimSuffix(withoutScheme(alias), "/"))
	}
	return r
}

// homesOf gives the sites of the roots, the default's first. /es of a site is
// no site of its own.
func homesOf(roots []Root) []string {
	var homes []string
	for _, root := range roots {
		site := siteOf(withoutScheme(root.Upstream))
		known := false
		for i, home := range homes {
			if _, above := cutURL(home, site); above {
				homes[i] = site
			}
			_, below := cutURL(site, homes[i])
			known = known || below
		}
		if !known {
			homes = append(homes, site)
		}
	}
	return homes
}

// siteOf gives the site of a REST root: what stands before WordPress's own part.
func siteOf(root string) string {
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
func cutURL(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return "", false
	}
	rest = s[len(prefix):]
	return rest, rest == "" || strings.IndexByte("/?#", rest[0]) >= 0
}

// isURL reports whether s is one http(s) URL and nothing else.
func isURL(s string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(s[:min(len(s), len("https://"))]), "http")
	return ok && (strings.HasPrefix(rest, "://") || strings.HasPrefix(rest, "s://")) && !strings.ContainsAny(s, " \t\r\n<>\"")
}

// restLink finds which root a URL is below, and what follows the root. Of roots
// that share a URL the answering one wins, then the longest.
func (r *Rewriter) restLink(s string, answering int) (root int, rest string, ok bool) {
	if !isURL(s) {
		return 0, "", false
	}
	s = withoutScheme(s)
	best := -1
	for _, p := range r.places {
		after, found := cutURL(s, p.prefix)
		if !found || len(p.prefix) < best || len(p.prefix) == best && p.root != answering {
			continue
		}
		root, rest, ok, best = p.root, after, true, len(p.prefix)
	}
	return root, rest, ok
}

// neutral gives a REST link in the neutral namespace. ok is false if it is none
// of the namespace's.
func (r *Rewriter) neutral(s string, answering int) (link string, ok bool) {
	root, rest, ok := r.restLink(s, answering)
	if !ok {
		return "", false
	}
	rest, ok = cutURL(rest, "/"+r.legacy.Namespace)
	if !ok {
		return "", false
	}
	return r.roots[root].Base() + r.neutralQuery(rest), true
}

// mustNeutral is neutral for what can only be a REST link: one below a host that
// nobody configured belongs to the root that answers.
func (r *Rewriter) mustNeutral(s string, answering int) (link string, ok bool) {
	if link, ok = r.neutral(s, answering); ok {
		return link, true
	}
	_, rest, found := strings.Cut(s, "/"+r.legacy.Namespace)
	if !found || rest != "" && !strings.ContainsRune("/?#", rune(rest[0])) {
		return "", false
	}
	return r.roots[answering].Base() + r.neutralQuery(rest), true
}

func (r *Rewriter) neutralQuery(rest string) string {
	path, query, found := strings.Cut(rest, "?")
	if !found || r.legacy.LanguageParam == "" {
		return rest
	}
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		if value, ok := strings.CutPrefix(pair, r.legacy.LanguageParam+"="); ok {
			pairs[i] = Language.Name + "=" + value
		}
	}
	return path + "?" + strings.Join(pairs, "&")
}

// page gives the URL of a page of the site as clients see it: shown at the
// configured place, and without the vendor's post type, which a link to a draft
// has (/?post_type=…&p=591; /?p=591 is the same page).
func (r *Rewriter) page(s string) string {
	if !isURL(s) {
		return s
	}
	for _, site := range r.sites {
		rest, ok := cutURL(withoutScheme(s), site)
		if !ok {
			continue
		}
		head := s[:len(s)-len(rest)]
		if r.site != "" {
			head = r.site
		}
		return head + withoutPostType(rest)
	}
	return s
}

func withoutPostType(rest string) string {
	before, after, found := strings.Cut(rest, "?post_type="+vendorPrefix)
	if !found {
		return rest
	}
	_, after, found = strings.Cut(after, "&")
	if !found {
		return before
	}
	after = strings.TrimPrefix(strings.TrimPrefix(after, "amp;"), "#038;")
	return before + "?" + after
}

// vendorPrefix begins the legacy's machine names: post types and taxonomies.
const (
	vendorPrefix  = "tribe_"
	neutralPrefix = "calendar_"
)

// machineName gives a taxonomy's neutral name.
func machineName(s string) string {
	if rest, ok := strings.CutPrefix(s, vendorPrefix); ok {
		return neutralPrefix + rest
	}
	return s
}
