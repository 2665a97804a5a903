package mapping

import (
	"bytes"
	"slices"
	"strings"
)

// addRoot adds the places of a root, and the spellings of its site, which is at home.
func (r *Rewriter) addRoot(i int, home site, aliases []string) {
	url, code := SiteOf(r.roots[i].Upstream), r.roots[i].Language
	bare := url == r.roots[i].Upstream
	dir := string(siteAt(url).path[len(home.path):])
	r.homes[i] = strings.TrimSuffix(url, dir)
	for _, spelling := range append([]site{home}, sitesAt(aliases, dir)...) {
		if !slices.ContainsFunc(r.sites, func(u site) bool { return u.String() == spelling.String() }) {
			r.sites = append(r.sites, spelling)
		}
		r.places = append(r.places, place{spelling.in(dir), i, bare})
		if dir == "" && code != "" && !bare {
			// A root without a directory may show its language's in links
			// (recordings translatepress/en/shown-events-list).
			r.places = append(r.places, place{spelling.in("/" + code), i, false})
		}
	}
}

// sitesAt gives the sites of aliases, which may be given with a language's directory.
func sitesAt(aliases []string, dir string) []site {
	var sites []site
	for _, alias := range aliases {
		sites = append(sites, siteAt(strings.TrimSuffix(strings.TrimSuffix(alias, "/"), dir)))
	}
	return sites
}

// homesOf gives the site of each root. Languages of one host are of one site, which
// is the directory that holds them all: its images and drafts are beside the
// directories of the languages.
func homesOf(roots []Root) []site {
	homes := make([]site, len(roots))
	for i, root := range roots {
		if root.Upstream == "" {
			continue
		}
		home := siteAt(SiteOf(root.Upstream))
		home.path = withoutSegment(home.path, root.Language)
		for j := range i {
			if sameText(homes[j].host, home.host) {
				home.path = commonPath(home.path, homes[j].path)
			}
		}
		for j := range i {
			if sameText(homes[j].host, home.host) {
				homes[j].path = home.path
			}
		}
		homes[i] = home
	}
	return homes
}

// withoutSegment takes the last segment off a path if it is name.
func withoutSegment(path []byte, name string) []byte {
	n := len(path) - len(name) - 1
	if name != "" && n >= 0 && strings.EqualFold(string(path[n:]), "/"+name) {
		return path[:n]
	}
	return path
}

// commonPath gives the segments with which both paths begin.
func commonPath(a, b []byte) []byte {
	for {
		if _, below := cutURL(b, a); below {
			return a
		}
		a = a[:bytes.LastIndexByte(a, '/')]
	}
}

// SiteOf gives the site of a REST root: what stands before WordPress's own part.
func SiteOf(root string) string {
	root = strings.TrimSuffix(root, "/wp-json")
	return strings.TrimSuffix(root, "/index.php")
}
