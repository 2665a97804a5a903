package upstream

import (
	"net/http"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping"
)

// noRoute is the code of WordPress for a path that no plugin has registered.
const noRoute = "rest_no_route"

// missingAfter is the number of consecutive responses with noRoute after which the namespace
// counts as missing. One alone could be a path that this version of the plugin does not have.
const missingAfter = 3

// watchNamespace notices that the site answers, but without its plugin: every call is a 404
// then, which counts as no failure. A call with a slug proves nothing, since clients choose it,
// and WordPress has no route for some (recording odd-by-slug-5). It has one for any id.
func (u *Caller) watchNamespace(to *root, out *Request, got Response) {
	switch {
	case got.Status == http.StatusNotFound && mapping.CodeOf(got.Body) == noRoute:
		if out.Slug {
			return
		}
		if to.noRoutes.Add(1) < missingAfter {
			return
		}
		to.missingLog.Do(func() {
			to.missingLogged.Store(true)
			u.options.Log.Warn("the site has no route for any call: is its calendar plugin active?", zap.String("root", to.name))
		})
	case showsRoute(got.Status) && to.noRoutes.Load() > 0:
		to.noRoutes.Store(0)
		if to.missingLogged.Swap(false) {
			u.options.Log.Info("the site has its routes again", zap.String("root", to.name))
		}
	}
}

// showsRoute reports whether a status shows that the site has a route. It refuses credentials and
// clients, and redirects, before it looks for one.
func showsRoute(status int) bool {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusTooManyRequests:
		return false
	case status >= 300 && status < 400:
		return false
	}
	return status > 0 && status < http.StatusInternalServerError
}

// namespaceMissing reports whether the last calls found no route.
func (r *root) namespaceMissing() bool { return r.noRoutes.Load() >= missingAfter }
