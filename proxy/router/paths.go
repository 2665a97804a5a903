package router

import (
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
