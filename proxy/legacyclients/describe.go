package legacyclients

import (
	"net/http"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// contexts are the values of the parameter of an index that WordPress knows. All others give
// the same (recording index/en/namespace-context-bogus).
var contexts = []string{"view", "help", "embed"}

// contextParam selects how much the index has of each route.
const contextParam = "context"

// Description returns the request for what the legacy says of a path of the table: its index,
// its documentation or, for OPTIONS, the parameters of the path. Those are the same for every
// item, so that nothing of the client's path is in it.
func (c *Clients) Description(r *http.Request, path string) upstream.Request {
	method := http.MethodGet
	if r.Method == http.MethodOptions {
		method = http.MethodOptions
	}
	target := "/" + c.Namespace() + strings.NewReplacer("{"+mapping.IDParam.Name+"}", "1", "{"+mapping.SlugParam.Name+"}", "x").Replace(path)
	if asked := r.URL.Query().Get(contextParam); method == http.MethodGet && path == "" && slices.Contains(contexts, asked) {
		target += "?" + contextParam + "=" + asked
	}
	return upstream.Request{Method: method, Target: target, Header: http.Header{}, Class: upstream.Read, Anonymous: true}
}
