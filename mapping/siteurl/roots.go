package siteurl

import "strings"

// The URL of a REST root is what the path of a call is appended to: "https://site/wp-json",
// or "https://site/index.php?rest_route=" where the site has plain permalinks, so that the
// path is the value of a parameter.
const (
	Prefix          = "/wp-json"
	IndexFile       = "/index.php"
	routeParam      = "rest_route="
	PlainPermalinks = IndexFile + "?" + routeParam
)

// Root gives the URL of a REST root in the one form that the functions below take, for
// one as WordPress or people write it: with slashes at its end, "https://site/?rest_route=/".
//
// Of plain permalinks the index file is in it: for a directory a web server may take no
// method but GET, HEAD and POST (recordings plain/en/tags-update and tags-delete).
func Root(written string) string {
	site, route, isPlain := strings.Cut(written, "?"+routeParam)
	if !isPlain || strings.Trim(strings.ReplaceAll(strings.ToUpper(route), "%2F", "/"), "/") != "" {
		return strings.TrimRight(written, "/")
	}
	return strings.TrimSuffix(strings.TrimRight(site, "/"), IndexFile) + PlainPermalinks
}

// IsPlain reports whether a REST root is one of plain permalinks.
func IsPlain(root string) bool { return strings.HasSuffix(root, PlainPermalinks) }

// inValue escapes what means something else in a query than in a path.
var inValue = strings.NewReplacer("&", "%26", "+", "%2B", ";", "%3B")

// Join gives the URL of a call: of target, a percent-encoded path and perhaps a query,
// below a REST root.
func Join(root, target string) string {
	if !IsPlain(root) {
		return root + target
	}
	path, query, found := strings.Cut(target, "?")
	if found {
		query = "&" + query
	}
	return root + inValue.Replace(path) + query
}

// Target undoes [RESTURL]. The path is as the URL spells it.
func Target(root, url string) (target string, below bool) {
	target, below = strings.CutPrefix(url, root)
	if below && IsPlain(root) {
		target = strings.Replace(target, "&", "?", 1)
	}
	return target, below && strings.HasPrefix(target, "/")
}

// Split parts the URL of a backend's REST root into its site and WordPress's own part:
// the prefix of the REST interface, with the index file before it or not, or what plain
// permalinks have. A site may have another prefix than the usual one. part is "" for a root
// that is not known to end with a prefix: all that is below is the REST interface.
func Split(root string, wordPress bool) (site, part string) {
	slash := strings.LastIndexByte(root, '/')
	switch {
	case IsPlain(root):
		site = strings.TrimSuffix(root, PlainPermalinks)
	case strings.HasSuffix(root, Prefix), wordPress && slash > strings.Index(root, "://")+2:
		site = strings.TrimSuffix(root[:slash], IndexFile)
	default:
		site = root
	}
	return site, root[len(site):]
}
