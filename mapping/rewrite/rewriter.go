package rewrite

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// Spellings are the URLs of the site in the site's own links.
type Spellings struct {
	Aliases   []string // other URLs of the default language's site; see also [Root.Aliases]
	Pages     string   // the URL to show pages and images at; "" leaves links unchanged
	WordPress string   // the URL that images are below, if not below the site; "" otherwise

	Legacy *LegacyNames // names in which some clients are served; nil: all speak the neutral names
}

// LegacyNames are the names of the legacy, in which clients that do not know the neutral
// namespace are served.
type LegacyNames struct {
	mapping.API // has the namespace, the language parameter and the machine names

	// Candidate reports that another backend than the legacy responds. Only links of that backend to the
	// namespace get the legacy's names: other links lead to a site that clients do not know.
	Candidate bool
}

// Rewriter turns responses of the legacy into responses of the facade. A Rewriter is read-only after New and
// safe for concurrent use.
type Rewriter struct {
	backend     mapping.API
	roots       []RootURLs
	namespace   []byte // "/tribe/events/v1"
	images      string // the URL that images are below; "" for the site's URL
	directories []directory
	sites       []siteurl.Site // all spellings
	pages       []byte         // URL of the site where pages are shown; empty leaves links unchanged
	vendor      []byte         // begins the backend's machine names
	postType    []byte         // the parameter of a link to a draft, empty for neutral names

	neutral, legacy *names // legacy is for [mapping.Call.OldNames]; nil: there are no such calls
}

// names are the names that clients speak, and the links that are written in them.
type names struct {
	mapping.API
	vendor         []byte   // begins machine names
	bases, namings [][]byte // by root: the public URL of the namespace, and the query that names the root's language
	renamesPages   bool     // links to pages get neutral names

	// own is set if the backend has the names: responses stay unchanged, except for the place of the REST interface.
	own bool

	// classes have, by the class of an attribute, the class by which a string is rewritten.
	classes [mapping.Message + 1]mapping.Class
}

// neutralVendor begins neutral machine names instead of a vendor.
const neutralVendor = "calendar_"

func newNames(b mapping.API, roots []RootURLs) *names {
	b.LanguageParam = cmp.Or(b.LanguageParam, mapping.Language.Name)
	n := &names{API: b, vendor: []byte(cmp.Or(b.Dialect.Vendor, neutralVendor))}
	for i, root := range roots {
		n.bases = append(n.bases, []byte(root.Public+"/"+b.Dialect.Namespace))
		n.namings = append(n.namings, n.naming(roots, i, root.Language))
	}
	for i := range n.classes {
		n.classes[i] = mapping.Class(i)
	}
	return n
}

// newLegacyNames makes the names of the legacy in responses of a backend. An address, and an item's page instead of
// a website, stay as the backend sends them (recordings organizers/en/single-draft-as-admin, events/en/list-default).
func newLegacyNames(l *LegacyNames, roots []RootURLs, backend mapping.API) *names {
	n := newNames(l.API, roots)
	n.own = !l.Candidate && backend.Dialect == l.Dialect && backend.IDs.String() == ""
	n.classes[mapping.Email] = mapping.Plain
	n.classes[mapping.Website] = mapping.PageLink
	return n
}

// naming is [Naming] in the names.
func (n *names) naming(roots []RootURLs, root int, code string) []byte {
	if Naming(roots, root, code) == "" {
		return nil
	}
	return []byte("?" + n.LanguageParam + "=" + n.word(code))
}

// word returns the value of the language parameter for a code.
func (n *names) word(code string) string {
	if word := n.Languages[code]; word != "" {
		return url.QueryEscape(word)
	}
	return code
}

// Knows reports whether a URL is recognized as a URL of the site.
func (r *Rewriter) Knows(url string) bool {
	u := siteurl.At(url)
	return r.ours(u.Host, u.Path)
}

// ours reports whether the URL of host and path is a URL of the site.
func (r *Rewriter) ours(host, path []byte) bool {
	return slices.ContainsFunc(r.sites, func(u siteurl.Site) bool { _, isInside := u.Cut(host, path); return isInside })
}

// New prepares for the roots of one site. The first root is the
// default's.
func New(backend mapping.API, roots []RootURLs, spellings Spellings) *Rewriter {
	r := &Rewriter{
		backend: backend, roots: slices.Clone(roots),
		namespace: []byte("/" + backend.Dialect.Namespace),
		vendor:    []byte(cmp.Or(backend.Dialect.Vendor, neutralVendor)),
		pages:     []byte(strings.TrimSuffix(spellings.Pages, "/")),
		neutral:   newNames(mapping.API{Dialect: mapping.Neutral}, roots),
	}
	r.neutral.renamesPages = true
	if n := spellings.Legacy; n != nil {
		r.legacy = newLegacyNames(n, roots, backend)
	}
	if backend.Dialect.Vendor != "" {
		r.postType = []byte("post_type=" + backend.Dialect.Vendor)
	}
	homes := homesOf(backend.Dialect, roots)
	standard := slices.IndexFunc(roots, func(root RootURLs) bool { return root.Upstream != "" })
	for i := range r.roots {
		root := &r.roots[i]
		if root.Upstream == "" {
			continue
		}
		aliases := root.Aliases
		if homes[i].String() == homes[standard].String() {
			aliases = slices.Concat(aliases, spellings.Aliases)
		}
		r.addRoot(i, homes[i], aliases)
	}
	if spellings.WordPress != "" && !r.Knows(spellings.WordPress) {
		r.sites = append(r.sites, siteurl.At(spellings.WordPress))
		r.images = spellings.WordPress
	}
	return r
}

// addRoot adds the directories of a root, and the spellings of the site, which is at home.
func (r *Rewriter) addRoot(i int, home siteurl.Site, aliases []string) {
	site, part := r.backend.Dialect.SplitRoot(r.roots[i].Upstream)
	code := r.roots[i].Language
	bare := part == ""
	var prefix []byte // if [siteurl.SplitREST] does not know the prefix
	custom := strings.TrimPrefix(part, siteurl.IndexFile)
	if part != siteurl.PlainPermalinks && custom != siteurl.Prefix && custom != "" {
		prefix = []byte(custom)
	}
	dir := string(siteurl.At(site).Path[len(home.Path):])
	r.roots[i].home = strings.TrimSuffix(site, dir)
	spellings := []siteurl.Site{home}
	for _, alias := range aliases { // which may have the language's directory
		spellings = append(spellings, siteurl.At(strings.TrimSuffix(strings.TrimSuffix(alias, "/"), dir)))
	}
	for _, spelling := range spellings {
		if !slices.ContainsFunc(r.sites, func(u siteurl.Site) bool { return u.String() == spelling.String() }) {
			r.sites = append(r.sites, spelling)
		}
		r.directories = append(r.directories, directory{
			Site:   spelling.In(dir),
			root:   i,
			prefix: prefix,
			bare:   bare,
		})
		if dir == "" && code != "" && !bare {
			// A root without a directory may show the directory of the language in links
			// (recordings translatepress/en/shown-events-list).
			r.directories = append(r.directories, directory{
				Site:   spelling.In("/" + code),
				root:   i,
				prefix: prefix,
				bare:   false,
			})
		}
	}
}
