package probe

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/crawl"
)

// way is one way to select each of the languages.
type way struct {
	by    i18n.Select
	param string
	roots []string // by language
}

// queries returns the lists of all languages, selected this way.
func (w way) queries(site i18n.Site, param string) []query {
	all := make([]query, len(site))
	for i, l := range site {
		switch w.by {
		case i18n.ByPath:
			all[i] = query{root: w.roots[i]}
		case i18n.ByParameter:
			all[i] = query{w.roots[0], param, l.Code}
		case i18n.ByBoth:
			all[i] = query{w.roots[i], param, l.Code}
		}
	}
	return all
}

func (w way) String() string {
	if w.by == i18n.ByPath {
		return "select: path"
	}
	return fmt.Sprintf("select: %s with upstream.language_param: %s", w.by, w.param)
}

// comparison finds out what selects the language of the legacy's responses.
type comparison struct {
	site    i18n.Site
	backend *Backend
	param   string // as configured
	roots   []string
	derived []string         // roots in a directory of each language, not configured
	plugin  []pluginLanguage // of Polylang; nil if it is not installed
	events  *lists
	terms   *lists // which Polylang filters by language if it filters nothing else
}

// compareLanguages adds to the findings about the legacy, one for each language, what selects
// the language of its responses.
func (o *Options) compareLanguages(ctx context.Context, findings []Finding, indexes []restIndex) {
	// A directory that the site does not have is a result. A host that is down is not.
	down := slices.ContainsFunc(findings, func(found Finding) bool { return !found.Reachable })
	if len(findings) < 2 || down || !findings[0].Plugin {
		return
	}
	legacy := &o.Backends[0]
	c := comparison{site: o.Site, backend: legacy, param: legacy.Dialect.LanguageParam}
	c.plugin = legacy.pluginLanguages(ctx, indexes[0])
	for _, root := range legacy.Roots {
		c.roots = append(c.roots, root.Upstream)
	}
	c.derived = derivedRoots(legacy.Dialect.Dialect, c.site)
	below := map[string]string{}
	for i, l := range c.site {
		below[l.Code] = c.derived[i]
	}
	derived := o.LegacyAt(below)
	backends := []*Backend{legacy, &derived}
	homes := homesOf(c.site, indexes, c.plugin)
	for _, call := range crawl.Lists() {
		l := &lists{call: call, backends: backends, homes: homes, known: map[query]listSample{}}
		if c.events == nil {
			c.events = l
		}
		if call.Endpoint.OfTerms() {
			c.terms = l
			break
		}
	}
	c.conclude(ctx, findings)
}

// derivedRoots inserts the directory of each language before WordPress's part of the root of
// the default language.
func derivedRoots(d *mapping.Dialect, site i18n.Site) []string {
	home, rest := d.SplitRoot(site[0].Upstream)
	roots := []string{site[0].Upstream}
	for _, l := range site[1:] {
		roots = append(roots, home+"/"+l.UpstreamCode()+rest)
	}
	return roots
}

// ways returns those that a site may support, the simplest first.
func (c *comparison) ways() []way {
	ways := []way{{by: i18n.ByPath, roots: c.roots}}
	var params []string
	for _, param := range []string{c.param, polylangParam, mapping.Tribe.LanguageParam} {
		if param != "" && !slices.Contains(params, param) {
			params = append(params, param)
		}
	}
	for _, by := range []i18n.Select{i18n.ByParameter, i18n.ByBoth} {
		for _, param := range params {
			ways = append(ways, way{by, param, c.roots})
		}
	}
	return append(ways, way{by: i18n.ByPath, roots: c.derived})
}

// works reports whether a way selects every language. A parameter does if its value makes
// lists differ that are the same with an unknown parameter.
func (c *comparison) works(ctx context.Context, l *lists, w way) bool {
	if !differ(l.all(ctx, w.queries(c.site, w.param))) {
		return false
	}
	if w.by == i18n.ByPath {
		return true
	}
	control := l.all(ctx, way{i18n.ByParameter, unknownParam, w.roots}.queries(c.site, unknownParam))
	return !slices.ContainsFunc(control, func(s listSample) bool { return !s.same(control[0]) })
}

// found returns the first way that works; ok is false if none does.
func (c *comparison) found(ctx context.Context, l *lists) (w way, ok bool) {
	ways := c.ways()
	i := slices.IndexFunc(ways, func(w way) bool { return c.works(ctx, l, w) })
	if i < 0 {
		return way{}, false
	}
	return ways[i], true
}

// configured returns the lists that clients get of each language: by its root alone, and with
// the parameter of the proxy.
func (c *comparison) configured() (unnamed, named []query) {
	for i, l := range c.site {
		u := query{root: c.roots[i]}
		if l.Select == i18n.ByParameter {
			u = query{c.roots[i], c.param, l.Code}
		}
		n := u
		if cmp.Or(l.Select, i18n.ByBoth) == i18n.ByBoth && c.param != "" {
			n = query{c.roots[i], c.param, l.Code}
		}
		unnamed, named = append(unnamed, u), append(named, n)
	}
	return unnamed, named
}

// selection returns the configuration of language i for a way.
func (c *comparison) selection(i int, w way) *Selection {
	s := &Selection{Root: c.site[i].Root, Upstream: w.roots[i], Select: w.by, LanguageParam: w.param}
	if w.by == i18n.ByParameter {
		s.Upstream = w.roots[0]
	}
	return s
}
