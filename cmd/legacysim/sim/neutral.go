package sim

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// Neutral is a stand-in for a backend that speaks calendar/events/v1 itself, over the content of s. The
// answers are the answers of s, under neutral names and without the slips that the neutral contract excludes.
// Index and documentation are left out.
func (s *Site) Neutral() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, (*call).runNeutral) })
}

// runNeutral rewrites the path to the names of the site, and the answer to neutral names.
func (c *call) runNeutral() *answer {
	suffix, ours := strings.CutPrefix(c.root.path, "/"+mapping.Namespace)
	switch {
	case ours && len(suffix) > 1 && suffix != "/doc":
		c.root.path = "/" + namespace + c.neutralItem(suffix)
	case c.root.path != "" && c.root.path != "/":
		return c.noRoute().answer()
	}
	if v, ok := c.query[mapping.Language.Name]; ok {
		delete(c.query, mapping.Language.Name)
		c.query[languageArg] = v
	}
	a := c.runLocked()
	a.body = c.neutral("", a.body)
	for i := range a.headers {
		a.headers[i].Name = strings.Replace(a.headers[i].Name, "X-TEC-", "X-Calendar-", 1)
	}
	return a
}

// neutralItem names an event by id, for a slug in the body would name another event.
func (c *call) neutralItem(path string) string {
	slug, bySlug := strings.CutPrefix(path, "/events/by-slug/")
	if !bySlug || c.reads() {
		return path
	}
	c.site.mu.RLock()
	defer c.site.mu.RUnlock()
	slug, _ = url.PathUnescape(slug)
	p := c.site.blogs[c.root.lang.code].bySlug(eventKind, slug)
	if p != nil {
		return "/events/" + itoa(p.id)
	}
	return path
}

// neutral returns the neutral form of v, the value of the member name.
func (c *call) neutral(name string, v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for _, m := range v {
			switch m.Name {
			case "_links": // all of them lead to the REST API of WordPress itself
				m.Value = object{}
			case languageArg:
				m.Name = mapping.Language.Name
			}
			out = append(out, member{Name: m.Name, Value: c.neutral(m.Name, m.Value)})
		}
		return out
	case list:
		return each(v, func(item any) any { return c.neutral(name, item) })
	case string:
		return c.neutralText(name, v)
	}
	return v
}

func (c *call) neutralText(name, s string) string {
	switch name {
	case "rest_url", "next_rest_url", "previous_rest_url", "self", "collection", "up":
		return strings.Replace(s, "/"+namespace, "/"+mapping.Namespace, 1)
	case "taxonomy":
		return strings.Replace(s, "tribe_", "calendar_", 1)
	case "namespaces":
		return strings.Replace(s, namespace, mapping.Namespace, 1)
	case "message", "params", mapping.Language.Name:
		return strings.ReplaceAll(s, languageArg, mapping.Language.Name)
	}
	if draft, ok := strings.CutPrefix(s, c.home()+"/?post_type=tribe_"); ok {
		_, parameters, _ := strings.Cut(draft, "&")
		return c.home() + "/?" + parameters
	}
	return s
}
