package legacyclients

import (
	"net/http"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
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

// Describes reports whether the body of a 200 is the description that was requested, and not the
// JSON of a wall in front of the site: it has the parameters of the path, the routes of the
// namespace, or the paths of the documentation.
func Describes(request upstream.Request, body []byte) bool {
	members := []string{"routes", "paths"}
	if request.Method == http.MethodOptions {
		members = []string{"endpoints"}
	}
	return slices.ContainsFunc(members, func(name string) bool { return jsonscan.Get(body, name) != nil })
}
