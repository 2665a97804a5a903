package sim

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
)

func (s *Site) newCall(r *http.Request, body []byte) *call {
	c := &call{site: s, http: r, body: body, now: s.opts.Clock(), query: parseQuery(r.URL.RawQuery)}
	var form params
	if of := r.Header.Get("Content-Type"); r.Method == http.MethodPost && !strings.HasPrefix(of, "application/json") {
		form, _ = parseBody(of, body) // PHP fills $_POST for no other method
	}
	c.root = s.locate(r, c.query, form)
	c.method = method(r, c.query)
	return c
}

// method lets the query and a header change the method, on any request; an empty one
// in the query leaves none.
func method(r *http.Request, query params) string {
	if query.given("_method") {
		return strings.ToUpper(query.str("_method"))
	}
	return strings.ToUpper(cmp.Or(r.Header.Get("X-HTTP-Method-Override"), r.Method))
}

// runLocked answers the call.
func (c *call) runLocked() *answer {
	if c.reads() {
		c.site.mu.RLock()
		defer c.site.mu.RUnlock()
	} else {
		c.site.mu.Lock()
		defer c.site.mu.Unlock()
	}
	c.blog = c.site.blogs[c.root.lang.code]
	a, err := c.run()
	if e, ok := errors.AsType[*apiError](err); ok {
		return e.answer()
	}
	return a
}

// run performs the steps of WordPress in its order. A call that fails a step learns
// nothing of the next: wrong credentials hide that there is no route, a faulty
// body hides that it would not have been allowed.
func (c *call) run() (*answer, error) {
	if err := c.authenticate(); err != nil {
		return nil, err
	}
	// WordPress drops backslashes, and slashes at the end.
	path := strings.TrimRight(stripSlashes(strings.ReplaceAll(c.root.path, "%5C", `\`)), "/")
	rt, values := c.site.match(path)
	if rt == nil {
		return c.outside(path)
	}
	c.route = rt
	bodyErr := c.merge(values)
	c.allow = rt.allowed(c)
	if c.method == "OPTIONS" {
		return ok(rt.describe(c))
	}
	e := rt.endpoint(c.method)
	if e == nil {
		c.allow = nil
		return nil, c.root.lang.noRoute()
	}
	if bodyErr != nil {
		return nil, bodyErr
	}
	c.speak()
	if err := c.validate(e.args); err != nil {
		return nil, err
	}
	c.general = c.bySlug
	if e.may != nil && !e.may(c) {
		return nil, c.forbidden()
	}
	if rt.namespace == tecNamespace {
		if err := c.acknowledged(); err != nil {
			return nil, err
		}
		defer c.allowAfter()
	}
	a, err := e.run(c)
	if err == nil && c.reads() {
		c.showPlants(a)
	}
	return a, err
}

// allowAfter looks at the rights as tec/v1 does: after the call, unless a fatal error of PHP ended it.
func (c *call) allowAfter() {
	if c.allow != nil {
		c.allow = c.route.allowed(c)
	}
}
