package sim

import (
	"net/http"
	"strings"
)

// locate finds the root. rest_route, in the query or in a form, beats the
// path: it leaves the namespace, and the REST API altogether if it likes.
func (s *Site) locate(r *http.Request, query, form params) root {
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.EscapedPath(), s.opts.Setup.directory()), "/index.php")
	lang, path := s.splitLanguage(path)
	path = strings.TrimPrefix(path, "/index.php")
	if s.opts.Languages.byParameter() && lang != s.languages[0] {
		return s.belowDirectory(lang, path, query)
	}
	for _, p := range []params{form, query} {
		if p.str("rest_route") != "" {
			return root{lang, true, p.str("rest_route")}
		}
	}
	if query.given("rest_route") {
		return root{lang, false, path} // a page, if there is one
	}
	rest, ok := strings.CutPrefix(path, s.opts.Setup.prefix())
	if ok && (rest == "" || rest[0] == '/') && !s.opts.Setup.Plain {
		return root{lang, true, rest}
	}
	return root{lang, false, path}
}

// belowDirectory is where the directory of a language leads that the REST API does not
// know: to a page, unless rest_route names a route, for which it selects nothing.
func (s *Site) belowDirectory(lang *language, path string, query params) root {
	if route := query.str("rest_route"); route != "" {
		return root{s.languages[0], true, route}
	}
	return root{lang, false, path}
}

func (s *Site) splitLanguage(path string) (*language, string) {
	for _, lang := range s.languages[1:] {
		if rest, ok := strings.CutPrefix(path, lang.prefix); ok && (rest == "" || rest[0] == '/') {
			return lang, rest
		}
	}
	return s.languages[0], path
}
