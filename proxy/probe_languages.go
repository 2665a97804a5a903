package proxy

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/crawl"
)

// Selection is what chooses a language of the site.
type Selection struct {
	Root          string      `json:"root"` // of the facade
	Upstream      string      `json:"upstream"`
	Select        i18n.Select `json:"select"`
	LanguageParam string      `json:"language_param"` // "" for none
}

// AskedList is a list that was asked for to see what chooses the language.
type AskedList struct {
	By        i18n.Select    `json:"by"`
	Upstream  string         `json:"upstream"`
	Param     string         `json:"param"` // "" for none
	Error     string         `json:"error"` // "" for none
	Total     int            `json:"total"`
	Languages map[string]int `json:"languages"` // of the first items, by where their pages are
	SameAs    []string       `json:"same_as"`   // languages whose list, asked for likewise, has the same items and texts
}

// way is one way to choose among all languages.
type way struct {
	by    i18n.Select
	param string
	roots []string // by language
}

// askings are the lists of all languages that are chosen this way.
func (w way) askings(site i18n.Site, param string) []asking {
	all := make([]asking, len(site))
	for i, l := range site {
		switch w.by {
		case i18n.ByPath:
			all[i] = asking{root: w.roots[i]}
		case i18n.ByParameter:
			all[i] = asking{w.roots[0], param, l.Code}
		case i18n.ByBoth:
			all[i] = asking{w.roots[i], param, l.Code}
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

// languageProof finds out what chooses the language of the legacy's answers.
type languageProof struct {
	site    i18n.Site
	backend *backend
	param   string // of the configuration
	roots   []string
	derived []string         // roots below a directory for each language, which nobody configured
	plugin  []pluginLanguage // that Polylang has; nil: it is not there
	events  *lists
	terms   *lists // which Polylang filters where it filters nothing else
}

// proveLanguages adds to the findings of the legacy, one a language, what chooses the
// language of its answers.
func (f *Facade) proveLanguages(ctx context.Context, findings []Finding, indexes []restIndex) {
	// A directory that the site does not know tells something, and a host that is down
	// does not.
	down := slices.ContainsFunc(findings, func(found Finding) bool { return !found.Reachable })
	if len(findings) < 2 || down || !findings[0].Plugin {
		return
	}
	p := languageProof{site: f.options.Site, backend: f.legacy, param: f.legacy.speech.LanguageParam}
	p.plugin = f.legacy.pluginLanguages(ctx, indexes[0])
	for _, root := range f.legacy.roots {
		p.roots = append(p.roots, root.Upstream)
	}
	below := legacyBackend(f.options)
	p.derived = derivedRoots(f.legacy.speech.Dialect, p.site)
	for i, l := range p.site {
		below.Upstreams[l.Code] = p.derived[i]
	}
	backends := []*backend{f.legacy, newBackend(below, f.options)}
	homes := homesOf(p.site, indexes, p.plugin)
	for _, call := range crawl.Lists() {
		l := &lists{call: call, backends: backends, homes: homes, asked: map[asking]listSample{}}
		if p.events == nil {
			p.events = l
		}
		if call.Endpoint.OfTerms() {
			p.terms = l
			break
		}
	}
	p.conclude(ctx, findings)
}

// derivedRoots puts the directory of each language before WordPress's part of the
// default's root.
func derivedRoots(d *mapping.Dialect, site i18n.Site) []string {
	home, rest := d.SplitRoot(site[0].Upstream)
	roots := []string{site[0].Upstream}
	for _, l := range site[1:] {
		roots = append(roots, home+"/"+l.Told()+rest)
	}
	return roots
}

// ways are those that a site may know, the simplest first.
func (p *languageProof) ways() []way {
	ways := []way{{by: i18n.ByPath, roots: p.roots}}
	var params []string
	for _, param := range []string{p.param, polylangParam, mapping.Tribe.LanguageParam} {
		if param != "" && !slices.Contains(params, param) {
			params = append(params, param)
		}
	}
	for _, by := range []i18n.Select{i18n.ByParameter, i18n.ByBoth} {
		for _, param := range params {
			ways = append(ways, way{by, param, p.roots})
		}
	}
	return append(ways, way{by: i18n.ByPath, roots: p.derived})
}

// works reports whether a way chooses every language. A parameter does where its value
// makes lists differ that a made-up parameter leaves alike.
func (p *languageProof) works(ctx context.Context, l *lists, w way) bool {
	if !differ(l.all(ctx, w.askings(p.site, w.param))) {
		return false
	}
	if w.by == i18n.ByPath {
		return true
	}
	control := l.all(ctx, way{i18n.ByParameter, madeUpParam, w.roots}.askings(p.site, madeUpParam))
	return !slices.ContainsFunc(control, func(s listSample) bool { return !s.same(control[0]) })
}

// found is the first way that works; ok is false if none does.
func (p *languageProof) found(ctx context.Context, l *lists) (w way, ok bool) {
	ways := p.ways()
	i := slices.IndexFunc(ways, func(w way) bool { return p.works(ctx, l, w) })
	if i < 0 {
		return way{}, false
	}
	return ways[i], true
}

// configured are the lists that clients get of each language: unnamed below its root,
// and named by the parameter of the facade.
func (p *languageProof) configured() (unnamed, named []asking) {
	for i, l := range p.site {
		u := asking{root: p.roots[i]}
		if l.Select == i18n.ByParameter {
			u = asking{p.roots[i], p.param, l.Code}
		}
		n := u
		if cmp.Or(l.Select, i18n.ByBoth) == i18n.ByBoth && p.param != "" {
			n = asking{p.roots[i], p.param, l.Code}
		}
		unnamed, named = append(unnamed, u), append(named, n)
	}
	return unnamed, named
}

// selection is what a way makes of language i.
func (p *languageProof) selection(i int, w way) *Selection {
	s := &Selection{Root: p.site[i].Root, Upstream: w.roots[i], Select: w.by, LanguageParam: w.param}
	if w.by == i18n.ByParameter {
		s.Upstream = w.roots[0]
	}
	return s
}
