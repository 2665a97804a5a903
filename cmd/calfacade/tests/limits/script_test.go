//go:build !race

package limits_test

import (
	"net/http"
	"path"

	"github.com/calfacade/calfacade/proxy/proxytest"
)

// anItem answers each request with the item that it asks for, and a title.
func anItem(title string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		proxytest.WriteItem(w, `{"id":%s,"title":"%s"}`, path.Base(r.URL.Path), title)
	}
}
