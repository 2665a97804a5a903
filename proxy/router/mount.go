package router

import (
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/docs"
)

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
			r.mountPath(root+"/"+r.legacy+p, Match{Root: language, OldNames: true}, paths)
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
