package legacyclients

import (
	"net/http"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// contexts are the values of contextParam that WordPress knows. It ignores others (recording
// index/en/namespace-context-bogus).
var contexts = []string{"view", "help", "embed"}

// contextParam selects how much the index shows of each route.
const contextParam = "context"

// Description returns the request for the legacy's own description of a path of the table: its
// index, its documentation or, for OPTIONS, the parameters of the path. The description is the
// same for every item, so the request has a fixed id or slug and nothing of the client's path.
func (c *Clients) Description(r *http.Request, path string) upstream.Request {
	method := http.MethodGet
	if r.Method == http.MethodOptions {
		method = http.MethodOptions
	}
	target := "/" + c.Namespace() + strings.NewReplacer("{"+mapping.IDParam.Name+"}", "1", "{"+mapping.SlugParam.Name+"}", "x").Replace(path)
	if context := r.URL.Query().Get(contextParam); method == http.MethodGet && path == "" && slices.Contains(contexts, context) {
		target += "?" + contextParam + "=" + context
	}
	return upstream.Request{Method: method, Target: target, Header: http.Header{}, Class: upstream.Read, Anonymous: true}
}
