package mapping

import (
	"net/url"
	"strings"
)

// The URL of a REST root is what the path of a call is appended to: "https://site/wp-json",
// or "https://site/index.php?rest_route=" where the site has plain permalinks, so that the
// path is the value of a parameter.
const (
	standardPrefix = "/wp-json"
	indexFile      = "/index.php"
	routeParam     = "rest_route="
	plainPart      = indexFile + "?" + routeParam
)

// RESTRoot gives the URL of a REST root in the one form that the functions below take, for
// one as WordPress or people write it: with slashes at its end, "https://site/?rest_route=/".
//
// Of plain permalinks the index file is in it: for a directory a web server may take no
// method but GET, HEAD and POST (recordings plain/en/tags-update and tags-delete).
func RESTRoot(written string) string {
	site, route, isPlain := strings.Cut(written, "?"+routeParam)
	if !isPlain || strings.Trim(strings.ReplaceAll(strings.ToUpper(route), "%2F", "/"), "/") != "" {
		return strings.TrimRight(written, "/")
	}
	return strings.TrimSuffix(strings.TrimRight(site, "/"), indexFile) + plainPart
}

// IsRESTRoot reports whether a URL is that of a REST root in this form.
func IsRESTRoot(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		(IsPlain(raw) || !strings.Contains(raw, "?")) && !strings.Contains(raw, "#") && RESTRoot(raw) == raw
}

// NonceParam is the parameter that holds the nonce of a request without the header
// X-WP-Nonce. It is a credential.
const NonceParam = "_wpnonce"

// IsPlain reports whether a REST root is one of plain permalinks.
func IsPlain(root string) bool { return strings.HasSuffix(root, plainPart) }

// inValue escapes what means something else in a query than in a path.
var inValue = strings.NewReplacer("&", "%26", "+", "%2B", ";", "%3B")

// RESTURL gives the URL of a call: of target, a percent-encoded path and perhaps a query,
// below a REST root.
func RESTURL(root, target string) string {
	if !IsPlain(root) {
		return root + target
	}
	path, query, found := strings.Cut(target, "?")
	if found {
		query = "&" + query
	}
	return root + inValue.Replace(path) + query
}

// RESTTarget undoes [RESTURL]. The path is as the URL spells it.
func RESTTarget(root, raw string) (target string, below bool) {
	target, below = strings.CutPrefix(raw, root)
	if below && IsPlain(root) {
		target = strings.Replace(target, "&", "?", 1)
	}
	return target, below && strings.HasPrefix(target, "/")
}

// SplitRoot parts the URL of a backend's REST root into its site and WordPress's own part:
// the prefix of the REST interface, with the index file before it or not, or what plain
// permalinks have. A site may have another prefix than the usual one. part is "" for a root
// that is not known to end with a prefix: all that is below is the REST interface.
func (d *Dialect) SplitRoot(root string) (site, part string) {
	slash := strings.LastIndexByte(root, '/')
	switch {
	case IsPlain(root):
		site = strings.TrimSuffix(root, plainPart)
	case strings.HasSuffix(root, standardPrefix), d.WordPress && slash > strings.Index(root, "://")+2:
		site = strings.TrimSuffix(root[:slash], indexFile)
	default:
		site = root
	}
	return site, root[len(site):]
}
