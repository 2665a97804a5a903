package proxy

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/docs"
	"github.com/calfacade/calfacade/proxy/problem"
)

// router finds the row of the table for a request.
//
// httprouter finds the root and the namespace of [pathOf]: percent-encoded, so that an encoded slash never
// makes a segment. The segments below are looked up in the table, since httprouter cannot hold a literal beside
// a wildcard; and methods after the path, since the response to a wrong method depends on the path (405 with
// Allow, 404 for an impossible id or slug).
type router struct {
	roots *httprouter.Router
	site  i18n.Languages
	docs  bool // serve the documentation page and the start page
}

// Names of the wildcards below the namespaces.
const neutralNames, legacyNames = "neutral", "legacy"

// routed is the result of routing a request.
type routed struct {
	Root          int
	Path          string // of the table
	Endpoint      *mapping.Endpoint
	Item          string // id or slug, percent-decoded
	Docs          bool   // the documentation page, or a file of the page
	Asset         string // path of a file below the page; "" for the page itself
	Start         bool   // the start page
	InLegacyNames bool   // the path is in the legacy's namespace
}

// match finds the row for a request. The match has the root also with an error.
func (r *router) match(req *http.Request) (routed, error) {
	path := pathOf(req)
	m := routed{Root: r.site.RootOf(path), Start: r.docs && path == docs.StartPath}
	_, params, _ := r.roots.Lookup(http.MethodGet, strings.ToLower(path)+"/") // the legacy matches paths without regard to case
	if params == nil && !m.Start {
		return m, problem.NoRoute()
	}
	var segments []string // in the case of the request
	if params != nil {
		m.InLegacyNames = params[0].Key == legacyNames
		parts := strings.Split(path, "/")
		segments = parts[len(parts)-strings.Count(params[0].Value, "/")+1:]
	}
	// The legacy has no such page: another route is unknown there (recording errors/en/unknown-route).
	if r.docs && !m.InLegacyNames && len(segments) > 0 && "/"+strings.ToLower(segments[0]) == docs.Path {
		m.Docs = true
		m.Asset = strings.Join(segments[1:], "/")
	}
	if m.Docs || m.Start {
		if req.Method == http.MethodGet || req.Method == http.MethodHead {
			return m, nil
		}
		return m, refuseMethod(req.Method, docs.Methods)
	}
	var err error
	if m.Path, m.Item, err = itemOf(segments); err != nil {
		return m, err
	}
	if req.Method == http.MethodOptions {
		return m, nil
	}
	for _, e := range mapping.Rows(m.Path) {
		if e.Allows(req.Method) {
			m.Endpoint = e
			return m, nil
		}
	}
	if m.InLegacyNames {
		return m, problem.NoRoute() // as WordPress answers (recordings errors/*/wrong-method-delete-collection)
	}
	return m, refuseMethod(req.Method, mapping.Allow(m.Path))
}

// refuseMethod returns the error for a method that a path does not have (405), or for an unknown method (501):
// the methods of RFC 9110 and PATCH are known.
func refuseMethod(method, allow string) error {
	switch method {
	case http.MethodConnect, http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPatch,
		http.MethodPost, http.MethodPut, http.MethodTrace:
		return problem.MethodNotAllowed(allow)
	}
	return problem.MethodUnknown(allow)
}

// pattern is a path of the table.
type pattern struct {
	path     string
	segments []string // with {id} and {slug}
}

var patterns = func() (patterns []pattern) {
	for _, path := range mapping.Paths() {
		patterns = append(patterns, pattern{path: path, segments: strings.Split(path, "/")[1:]})
	}
	return patterns
}()

// itemOf finds the path of the table that segments below a namespace match, and decodes {id} or {slug}.
func itemOf(segments []string) (path, item string, err error) {
	for _, p := range patterns {
		if len(p.segments) != len(segments) {
			continue
		}
		item := ""
		fits := true
		bySlug := false
		for i, segment := range segments {
			switch p.segments[i] {
			case "{id}":
				item = segment
				fits = fits && digits(segment)
			case "{slug}":
				item, bySlug = segment, true
			default:
				fits = fits && strings.EqualFold(segment, p.segments[i])
			}
		}
		if fits {
			item, err = decodeSegment(item)
			if err == nil && bySlug && mapping.SafeSlug(item) == "" {
				err = problem.NotFound()
			}
			return p.path, item, err
		}
	}
	return "", "", problem.NoRoute()
}

// newRouter makes the router of the languages of a site. docsOn adds the documentation page of each language
// and the start page; legacy is the legacy's namespace, also with the paths of the table; "" disables the
// second namespace.
func newRouter(site i18n.Languages, docsOn bool, legacy string) *router {
	r := &router{roots: httprouter.New(), site: site, docs: docsOn}
	handle := func(http.ResponseWriter, *http.Request, httprouter.Params) {} // httprouter requires a handler
	for _, language := range site {
		for name, namespace := range map[string]string{neutralNames: mapping.Namespace, legacyNames: legacy} {
			path := strings.ToLower(language.Root + "/" + namespace + "/")
			// Languages that share a root are distinguished by the language parameter: httprouter refuses to add a path twice.
			present, _, _ := r.roots.Lookup(http.MethodGet, path)
			if present == nil && namespace != "" {
				r.roots.GET(path+"*"+name, handle)
			}
		}
	}
	return r
}

// pathOf returns the path of a request, percent-encoded, in the one spelling that is routed: without encoded
// letters, digits and -._~, which mean the same (RFC 3986, 6.2.2.2), and without the further slashes at both
// ends, which WordPress trims. Double slashes inside name another path (recording events/en/list-double-slash),
// and so does an encoded slash.
func pathOf(req *http.Request) string {
	path := strings.TrimRight(req.URL.EscapedPath(), "/")
	for strings.HasPrefix(path, "//") {
		path = path[1:]
	}
	return cmp.Or(mapping.DecodeUnreserved(path), "/") // a complete URL may have no path (RFC 9110, 4.2.3)
}

// decodeSegment decodes one segment of a path, and refuses a segment that is not one segment after decoding,
// and that could name another path at the backend.
func decodeSegment(s string) (string, error) {
	decoded, err := url.PathUnescape(s)
	if err != nil || strings.Contains(decoded, "/") || decoded == "." || decoded == ".." {
		return "", problem.NoRoute()
	}
	return decoded, nil
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
