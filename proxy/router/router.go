// Package router finds the language root and the row of the table for a request.
//
// Start with [Router.Match] in router.go. mount.go adds the paths of the table to a router, and
// paths.go splits and decodes paths.
package router

import (
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
// httprouter has each path once, under GET, and matches [Path]: percent-encoded, so that an encoded
// slash never makes a segment. Methods are looked up in the table afterwards, since the response to
// a wrong one (405 with Allow, 404 for an impossible id or slug) needs the path first.
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
	OldNames bool   // the path is in the legacy's namespace
}

// IsLegacy reports whether a [Path] is in the legacy's namespace, which it need not know.
func (r *Router) IsLegacy(path string) bool {
	if r.legacy == "" {
		return false
	}
	below, found := strings.CutPrefix(strings.ToLower(path), strings.ToLower(r.site[r.site.RootOf(path)].Root+"/"+r.legacy))
	return found && (below == "" || below[0] == '/')
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
	path := Path(in)
	f := &found{}
	if !r.lookup(f, path) && !r.lookup(f, foldCase(path)) {
		return Match{Root: r.site.RootOf(path), OldNames: r.IsLegacy(path)}, problem.NoRoute()
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
	if m.OldNames {
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
