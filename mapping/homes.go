package mapping

import (
	"bytes"
	"slices"
	"strings"
)

// addRoot adds the places of a root, and the spellings of its site, which is at home.
func (r *Rewriter) addRoot(i int, home site, aliases []string) {
	url, part := r.backend.Dialect.SplitRoot(r.roots[i].Upstream)
	code, bare := r.roots[i].Language, part == ""
	dir := string(siteAt(url).path[len(home.path):])
	r.homes[i] = strings.TrimSuffix(url, dir)
	for _, spelling := range append([]site{home}, sitesAt(aliases, dir)...) {
		if !slices.ContainsFunc(r.sites, func(u site) bool { return u.String() == spelling.String() }) {
			r.sites = append(r.sites, spelling)
		}
		r.places = append(r.places, place{spelling.in(dir), i, otherPrefix(part), bare})
		if dir == "" && code != "" && !bare {
			// A root without a directory may show its language's in links
			// (recordings translatepress/en/shown-events-list).
			r.places = append(r.places, place{spelling.in("/" + code), i, otherPrefix(part), false})
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

// otherPrefix is the prefix of a REST interface in WordPress's part of a root, where
// [splitREST] does not know it; nil otherwise.
func otherPrefix(part string) []byte {
	prefix := strings.TrimPrefix(part, indexFile)
	if part == plainPart || prefix == standardPrefix || prefix == "" {
		return nil
	}
	return []byte(prefix)
}

// homesOf gives the site of each root. Languages of one host are of one site, which
// is the directory that holds them all: its images and drafts are beside the
// directories of the languages.
func (d *Dialect) homesOf(roots []Root) []site {
	homes := make([]site, len(roots))
	for i, root := range roots {
		if root.Upstream == "" {
			continue
		}
		url, _ := d.SplitRoot(root.Upstream)
		home := siteAt(url)
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
