package router

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/problem"
)

// pattern returns a path of the table for httprouter, which cannot hold a literal beside a
// wildcard: every segment below the collection is a wildcard.
func pattern(path string) string {
	collection, below := splitPath(path)
	for i := range below {
		collection += "/:" + string(rune('a'+i))
	}
	return collection
}

// splitPath splits a path of the table into its collection and the segments below: "/events"
// and "by-slug", "{slug}".
func splitPath(path string) (collection string, below []string) {
	segments := strings.Split(path, "/")
	if len(segments) <= 2 {
		return path, nil
	}
	return "/" + segments[1], segments[2:]
}

// Path returns the path of a request, percent-encoded, in the one spelling that is routed: without
// encoded letters, digits and -._~, which mean the same (RFC 3986, 6.2.2.2), and without the
// further slashes at its ends that WordPress trims. Slashes within it name another path (recording
// events/en/list-double-slash), and so does an encoded one.
func Path(in *http.Request) string {
	path := strings.TrimRight(in.URL.EscapedPath(), "/")
	for strings.HasPrefix(path, "//") {
		path = path[1:]
	}
	return cmp.Or(mapping.DecodeUnreserved(path), "/") // none is the same in a complete URL (RFC 9110, 4.2.3)
}

// decodeSegment decodes one segment of a path. It refuses a segment that is none after
// decoding: it could name another path at the backend.
func decodeSegment(s string) (string, error) {
	decoded, err := url.PathUnescape(s)
	if err != nil || strings.Contains(decoded, "/") || decoded == "." || decoded == ".." {
		return "", problem.NoRoute()
	}
	return decoded, nil
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

var slugLiteral = mapping.SlugLiteral()

// foldCase returns a path in lower case, except for what may be a slug: the legacy matches
// paths without regard to case.
func foldCase(path string) string {
	segments := strings.Split(path, "/")
	slug := slices.IndexFunc(segments, func(s string) bool { return strings.EqualFold(s, slugLiteral) })
	for i := range segments {
		if slug < 0 || i <= slug {
			segments[i] = strings.ToLower(segments[i])
		}
	}
	return strings.Join(segments, "/")
}
