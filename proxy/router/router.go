// Package router finds the language root and the row of the table for a request.
//
// Start with [Router.Match] in router.go; paths.go has what is done with paths alone.
package router

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/docs"
	"github.com/calfacade/calfacade/proxy/problem"
)

// Router finds the row of the table for a request.
//
// httprouter has each path once, under GET, and matches the path as it was sent:
// percent-encoded, so that an encoded slash never makes a segment. Methods are looked up in
// the table afterwards, since the response to a wrong one (405 with Allow, 404 for an
// impossible id or slug) needs the path first.
type Router struct {
	paths *httprouter.Router
	site  i18n.Site
	docs  bool // the documentation page and the start page are on

	legacy string // the legacy's namespace; "" is not served
}

// Match is the result of routing a request.
type Match struct {
	Root     int
	Path     string // of the table
	Endpoint *mapping.Endpoint
	Item     string // id or slug, percent-decoded
	Docs     bool   // the documentation page, or a file of it
	Asset    string // path of a file below the page; "" for the page itself
	Start    bool   // the start page
	Legacy   bool   // the path is in the legacy's namespace
}

// New makes the router of the languages of a site. docsOn adds the documentation page of each
// language and the start page; legacy is a second namespace with the paths of the table, that
// of the legacy, or "".
func New(site i18n.Site, docsOn bool, legacy string) *Router {
	r := &Router{paths: httprouter.New(), site: site, docs: docsOn, legacy: legacy}
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

func (r *Router) mount(root string, language int) {
	patterns := map[string][]string{}
	for _, path := range mapping.Paths() {
		p := pattern(path)
		patterns[p] = append(patterns[p], path)
	}
	for p, paths := range patterns {
		r.mountPath(root+"/"+mapping.Namespace+p, Match{Root: language}, paths)
		if r.legacy != "" {
			r.mountPath(root+"/"+r.legacy+p, Match{Root: language, Legacy: true}, paths)
		}
	}
	if r.docs {
		r.mountDocs(root+"/"+mapping.Namespace+docs.Path, language)
	}
}

func (r *Router) mountPath(path string, match Match, paths []string) {
	r.paths.GET(path, func(w http.ResponseWriter, _ *http.Request, params httprouter.Params) {
		found := w.(*found)
		found.match, found.paths, found.params = match, paths, params
	})
}

// IsLegacy reports whether a path is in the legacy's namespace, which it need not know.
func (r *Router) IsLegacy(path string) bool {
	if r.legacy == "" {
		return false
	}
	below, found := strings.CutPrefix(strings.ToLower(path), strings.ToLower(r.site[r.site.RootOf(path)].Root+"/"+r.legacy))
	return found && (below == "" || below[0] == '/')
}

func (r *Router) mountDocs(path string, language int) {
	handle := func(w http.ResponseWriter, _ *http.Request, params httprouter.Params) {
		w.(*found).match = Match{Root: language, Docs: true}
		var segments []string
		for _, p := range params {
			segments = append(segments, p.Value)
		}
		w.(*found).match.Asset = strings.Join(segments, "/")
	}
	r.paths.GET(path, handle)
	r.paths.GET(path+"/:a", handle)
	r.paths.GET(path+"/:a/:b", handle)
}

func (r *Router) mountStart() {
	language := r.site.RootOf(docs.StartPath)
	r.paths.GET(docs.StartPath, func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
		w.(*found).match = Match{Root: language, Start: true}
	})
}

// found receives what the handle of a path sets. It is an http.ResponseWriter only because
// httprouter's handles take one.
type found struct {
	http.ResponseWriter
	match  Match
	paths  []string
	params httprouter.Params
}

// Match finds the row for a request. The match has the root even if there is an error.
func (r *Router) Match(in *http.Request) (Match, error) {
	path := cmp.Or(in.URL.EscapedPath(), "/") // none is the same in a complete URL (RFC 9110, 4.2.3)
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	f := &found{}
	if !r.lookup(f, path) && !r.lookup(f, foldCase(path)) {
		return Match{Root: r.site.RootOf(path), Legacy: r.IsLegacy(path)}, problem.NoRoute()
	}
	m := f.match
	if m.Docs || m.Start {
		if in.Method == http.MethodGet || in.Method == http.MethodHead {
			return m, nil
		}
		return m, problem.MethodNotAllowed(docs.Methods)
	}
	var err error
	if m.Path, m.Item, err = f.item(); err != nil {
		return m, err
	}
	if in.Method == http.MethodOptions {
		return m, nil
	}
	for _, e := range mapping.Rows(m.Path) {
		if e.Allows(in.Method) {
			m.Endpoint = e
			return m, nil
		}
	}
	if m.Legacy {
		return m, problem.NoRoute() // as WordPress has it (recordings errors/*/wrong-method-delete-collection)
	}
	return m, problem.MethodNotAllowed(Allow(m.Path))
}

func (r *Router) lookup(f *found, path string) bool {
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

// Allow returns the methods of a path, with HEAD and OPTIONS.
func Allow(path string) string {
	methods := append([]string{http.MethodOptions}, mapping.Methods(path)...)
	if slices.Contains(methods, http.MethodGet) {
		methods = append(methods, http.MethodHead)
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}
