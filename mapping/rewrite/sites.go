package rewrite

import (
	"bytes"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// New prepares for the roots of one site. The first root is the
// default's.
func New(backend mapping.Backend, roots []Root, spellings Spellings) *Rewriter {
	r := &Rewriter{
		backend: backend, roots: roots,
		namespace: []byte("/" + backend.Place()),
		vendor:    []byte(backend.Dialect.Vendor),
		shown:     []byte(strings.TrimSuffix(spellings.Pages, "/")),
	}
	r.legacy = spellings.Legacy.of(backend, roots)
	if len(r.vendor) > 0 {
		r.postType = []byte("post_type=" + backend.Dialect.Vendor)
	}
	homes := homesOf(backend.Dialect, roots)
	standard := slices.IndexFunc(roots, func(root Root) bool { return root.Upstream != "" })
	for i, root := range roots {
		r.bases = append(r.bases, []byte(root.Base()))
		r.naming = append(r.naming, []byte(Naming(roots, i, root.Language)))
		r.homes = append(r.homes, "")
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
		r.sites, r.images = append(r.sites, siteurl.At(spellings.WordPress)), spellings.WordPress
	}
	return r
}

// addRoot adds the directories of a root, and the spellings of its site, which is at home.
func (r *Rewriter) addRoot(i int, home siteurl.Site, aliases []string) {
	url, part := r.backend.Dialect.SplitRoot(r.roots[i].Upstream)
	code, bare := r.roots[i].Language, part == ""
	dir := string(siteurl.At(url).Path[len(home.Path):])
	r.homes[i] = strings.TrimSuffix(url, dir)
	for _, spelling := range append([]siteurl.Site{home}, sitesAt(aliases, dir)...) {
		if !slices.ContainsFunc(r.sites, func(u siteurl.Site) bool { return u.String() == spelling.String() }) {
			r.sites = append(r.sites, spelling)
		}
		r.directories = append(r.directories, directory{spelling.In(dir), i, otherPrefix(part), bare})
		if dir == "" && code != "" && !bare {
			// A root without a directory may show its language's in links
			// (recordings translatepress/en/shown-events-list).
			r.directories = append(r.directories, directory{spelling.In("/" + code), i, otherPrefix(part), false})
		}
	}
}

// sitesAt returns the sites of aliases, which may have a language's directory.
func sitesAt(aliases []string, dir string) []siteurl.Site {
	var sites []siteurl.Site
	for _, alias := range aliases {
		sites = append(sites, siteurl.At(strings.TrimSuffix(strings.TrimSuffix(alias, "/"), dir)))
	}
	return sites
}

// otherPrefix is the prefix of a REST interface in WordPress's part of a root, where
// [siteurl.SplitREST] does not know it; nil otherwise.
func otherPrefix(part string) []byte {
	prefix := strings.TrimPrefix(part, siteurl.IndexFile)
	if part == siteurl.PlainPermalinks || prefix == siteurl.Prefix || prefix == "" {
		return nil
	}
	return []byte(prefix)
}

// homesOf returns the site of each root. Languages of one host are of one site, which
// is the directory that holds them all: its images and drafts are beside the
// directories of the languages.
func homesOf(d *mapping.Dialect, roots []Root) []siteurl.Site {
	homes := make([]siteurl.Site, len(roots))
	for i, root := range roots {
		if root.Upstream == "" {
			continue
		}
		url, _ := d.SplitRoot(root.Upstream)
		home := siteurl.At(url)
		home.Path = withoutSegment(home.Path, root.Language)
		for j := range i {
			if siteurl.EqualFold(homes[j].Host, home.Host) {
				home.Path = commonPath(home.Path, homes[j].Path)
			}
		}
		for j := range i {
			if siteurl.EqualFold(homes[j].Host, home.Host) {
				homes[j].Path = home.Path
			}
		}
		homes[i] = home
	}
	return homes
}

// withoutSegment removes the last segment of a path if it is name.
func withoutSegment(path []byte, name string) []byte {
	n := len(path) - len(name) - 1
	if name != "" && n >= 0 && strings.EqualFold(string(path[n:]), "/"+name) {
		return path[:n]
	}
	return path
}

// commonPath returns the segments with which both paths begin.
func commonPath(a, b []byte) []byte {
	for {
		if _, below := siteurl.Cut(b, a); below {
			return a
		}
		a = a[:bytes.LastIndexByte(a, '/')]
	}
}
