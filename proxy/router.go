package proxy

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/docs"
	"github.com/calfacade/calfacade/proxy/problem"
)

// router finds the row of the table for a request.
//
// httprouter has each path once, under GET, and matches the path as it was sent:
// percent-encoded, so that an encoded slash never makes a segment. Methods are looked up in
// the table afterwards, since the response to a wrong one (405 with Allow, 404 for an
// impossible id or slug) needs the path first.
type router struct {
	paths *httprouter.Router
	site  i18n.Site
	docs  bool // the documentation page and the start page are on
}

// match is the result of routing a request.
type match struct {
	root     int
	path     string // of the table
	endpoint *mapping.Endpoint
	item     string // id or slug, percent-decoded
	docs     bool   // the documentation page, or a file of it
	asset    string // path of a file below the page; "" for the page itself
	start    bool   // the start page
}

func newRouter(site i18n.Site, docsOn bool) *router {
	r := &router{paths: httprouter.New(), site: site, docs: docsOn}
	mounted := map[string]bool{}
	for i, language := range site {
		// httprouter refuses to add a path twice. The language parameter distinguishes
		// languages that share a root. A root in capitals matches in both forms.
		for _, root := range []string{language.Root, strings.ToLower(language.Root)} {
			if !mounted[root] {
				mounted[root] = true
				r.mount(root, i)
			}
		}
	}
	if docsOn {
		r.mountStart()
	}
	return r
}

func (r *router) mount(root string, language int) {
	patterns := map[string][]string{}
	for _, path := range mapping.Paths() {
		p := pattern(path)
		patterns[p] = append(patterns[p], path)
	}
	for p, paths := range patterns {
		r.paths.GET(root+"/"+mapping.Namespace+p, func(w http.ResponseWriter, _ *http.Request, params httprouter.Params) {
			found := w.(*found)
			found.match.root = language
			found.paths, found.params = paths, params
		})
	}
	if r.docs {
		r.mountDocs(root+"/"+mapping.Namespace+docs.Path, language)
	}
}

func (r *router) mountDocs(path string, language int) {
	handle := func(w http.ResponseWriter, _ *http.Request, params httprouter.Params) {
		w.(*found).match = match{root: language, docs: true}
		var segments []string
		for _, p := range params {
			segments = append(segments, p.Value)
		}
		w.(*found).match.asset = strings.Join(segments, "/")
	}
	r.paths.GET(path, handle)
	r.paths.GET(path+"/:a", handle)
	r.paths.GET(path+"/:a/:b", handle)
}

func (r *router) mountStart() {
	language := r.site.RootOf(docs.StartPath)
	r.paths.GET(docs.StartPath, func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
		w.(*found).match = match{root: language, start: true}
	})
}

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

// found receives what the handle of a path sets. It is an http.ResponseWriter only because
// httprouter's handles take one.
type found struct {
	http.ResponseWriter
	match  match
	paths  []string
	params httprouter.Params
}

// match finds the row for a request. The match has the root even if there is an error.
func (r *router) match(in *http.Request) (match, error) {
	path := cmp.Or(in.URL.EscapedPath(), "/") // none is the same in a complete URL (RFC 9110, 4.2.3)
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	f := &found{}
	if !r.lookup(f, path) && !r.lookup(f, foldCase(path)) {
		return match{root: r.site.RootOf(path)}, problem.NoRoute()
	}
	m := f.match
	if m.docs || m.start {
		if in.Method == http.MethodGet || in.Method == http.MethodHead {
			return m, nil
		}
		return m, problem.MethodNotAllowed(docs.Methods)
	}
	var err error
	if m.path, m.item, err = f.item(); err != nil {
		return m, err
	}
	if in.Method == http.MethodOptions {
		return m, nil
	}
	for _, e := range mapping.Rows(m.path) {
		if e.Allows(in.Method) {
			m.endpoint = e
			return m, nil
		}
	}
	return m, problem.MethodNotAllowed(allow(m.path))
}

func (r *router) lookup(f *found, path string) bool {
	handle, params, _ := r.paths.Lookup(http.MethodGet, path)
	if handle == nil {
		return false
	}
	handle(f, nil, params)
	return true
}

// item finds the path of the table that the wildcards match, and decodes its {id} or {slug}.
func (f *found) item() (path, item string, err error) {
	for _, path := range f.paths {
		_, segments := splitPath(path)
		item, fits, bySlug := "", true, false
		for i, param := range f.params {
			switch segments[i] {
			case "{id}":
				item, fits = param.Value, fits && digits(param.Value)
			case "{slug}":
				item, bySlug = param.Value, true
			default:
				fits = fits && strings.EqualFold(param.Value, segments[i])
			}
		}
		if fits {
			item, err = decodeSegment(item)
			if err == nil && bySlug && mapping.SafeSlug(item) == "" {
				err = problem.NotFound()
			}
			return path, item, err
		}
	}
	return "", "", problem.NoRoute()
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

// allow returns the methods of a path, with HEAD and OPTIONS.
func allow(path string) string {
	methods := append([]string{http.MethodOptions}, mapping.Methods(path)...)
	if slices.Contains(methods, http.MethodGet) {
		methods = append(methods, http.MethodHead)
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}
