package siteurl

import (
	"net/url"
	"strings"
)

// The path of a call is appended to the URL of a REST root: "https://site/wp-json", or
// "https://site/index.php?rest_route=" on a site with plain permalinks, where the path is the
// value of a parameter.
const (
	Prefix          = "/wp-json"
	IndexFile       = "/index.php"
	routeParam      = "rest_route="
	PlainPermalinks = IndexFile + "?" + routeParam
)

// Root returns the canonical URL of a REST root, which the functions below expect, for a URL as
// WordPress or people write it: with trailing slashes, or "https://site/?rest_route=/".
//
// With plain permalinks the URL has the index file: for a directory a web server may accept no
// methods but GET, HEAD and POST (recordings plain/en/tags-update and tags-delete).
func Root(text string) string {
	site, route, isPlain := strings.Cut(text, "?"+routeParam)
	if !isPlain || strings.Trim(strings.ReplaceAll(strings.ToUpper(route), "%2F", "/"), "/") != "" {
		return strings.TrimRight(text, "/")
	}
	return strings.TrimSuffix(strings.TrimRight(site, "/"), IndexFile) + PlainPermalinks
}

// IsRoot reports whether raw is the URL of a REST root in the form of [Root].
func IsRoot(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		(IsPlain(raw) || !strings.Contains(raw, "?")) && !strings.Contains(raw, "#") && Root(raw) == raw
}

// IsPlain reports whether a REST root belongs to a site with plain permalinks.
func IsPlain(root string) bool { return strings.HasSuffix(root, PlainPermalinks) }

// inValue escapes the characters of a path that have another meaning in a query.
var inValue = strings.NewReplacer("&", "%26", "+", "%2B", ";", "%3B")

// Join returns the URL of a call: of target, a percent-encoded path with or without a query,
// below a REST root.
func Join(root, target string) string {
	if !IsPlain(root) {
		return root + target
	}
	path, query, hasQuery := strings.Cut(target, "?")
	if hasQuery {
		query = "&" + query
	}
	return root + inValue.Replace(path) + query
}

// Target is the inverse of [Join]. The path has the encoding of the URL. isBelow is false for a
// URL that is not below the root.
func Target(root, raw string) (target string, isBelow bool) {
	target, isBelow = strings.CutPrefix(raw, root)
	if isBelow && IsPlain(root) {
		target = strings.Replace(target, "&", "?", 1)
	}
	return target, isBelow && strings.HasPrefix(target, "/")
}

// Split splits the URL of a REST root into its site and WordPress's part: the prefix of the
// REST interface, with or without the index file, or the query of plain permalinks. The
// roots of WordPress sites end with a prefix, which need not be the default one. part is ""
// for another root without the default prefix.
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
