package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/crawl"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// selected is what was found out about the selection of a root's language.
type selected struct {
	site      *comparison // of the site
	unknown   string      // the language code, if the site does not have it; else ""
	otherwise string      // how the response differs with the configured parameter; "" for not
	advice    string      // the settings that select the language, if they are not the configured ones; else ""
	fallsBack bool        // its list shows items of the default language that have no translation
	listError error
	same      string // codes of the languages with the same response, if nothing selects one
}

// configured returns the configuration of the root's language.
func (r *root) configured() i18n.Language { return r.options.Site[r.language] }

// code returns the language code that the site gets.
func (r *root) code() string { return r.configured().UpstreamCode() }

// way is one way to select each of the languages.
type way struct {
	by    i18n.Select
	param string // "" for [i18n.ByPath]
	roots []rewrite.Root
}

// query returns the list of a root's language, selected this way.
func (w way) query(r *root) query {
	switch w.by {
	case i18n.ByPath:
		return query{root: w.roots[r.language].Upstream}
	case i18n.ByParameter:
		return query{w.roots[0].Upstream, w.param, r.configured().Code}
	}
	return query{w.roots[r.language].Upstream, w.param, r.configured().Code}
}

func (w way) String() string {
	if w.by == i18n.ByPath {
		return "select: path"
	}
	return fmt.Sprintf("select: %s with upstream.language_param: %s", w.by, w.param)
}

// comparison finds out what selects the language of the legacy's responses.
type comparison struct {
	roots   []*root // by language
	legacy  *Backend
	derived Backend // with a root in a directory of each language, not configured
	param   string  // as configured
	plugin  []pluginLanguage
	events  *lists
	terms   *lists // which Polylang filters by language if it filters nothing else

	// Why nothing selects the language.
	unrecorded, empty, onlyLinks bool
	mixed                        string // numbers of items by language, in every list
}

// compareLanguages finds out what selects the language of the legacy's responses, and adds it
// to the findings.
func compareLanguages(ctx context.Context, o *Options, roots []*root) {
	// A directory that the site does not have is a result. A host that is down is not.
	down := slices.ContainsFunc(roots, func(r *root) bool { return !r.Reachable })
	if len(roots) < 2 || down || !roots[0].Plugin {
		return
	}
	c := newComparison(ctx, o, roots)
	if c.knowsCodes() {
		c.conclude(ctx)
	}
	for _, r := range roots {
		r.add(whichLanguage)
	}
}

func newComparison(ctx context.Context, o *Options, roots []*root) *comparison {
	legacy := &o.Backends[0]
	c := &comparison{roots: roots, legacy: legacy, param: legacy.Dialect.LanguageParam, plugin: roots[0].pluginLanguages(ctx)}
	home, rest := roots[0].split()
	below := map[string]string{roots[0].Language: roots[0].Upstream}
	for i, r := range roots {
		if r.site = c; i > 0 {
			below[r.Language] = home + "/" + r.code() + rest
		}
	}
	c.derived = o.LegacyAt(below)
	homes := homesOf(roots, c.plugin)
	for _, call := range crawl.Lists() {
		l := &lists{call: call, backends: []*Backend{legacy, &c.derived}, homes: homes, known: map[query]listSample{}}
		c.events = cmp.Or(c.events, l)
		if call.Endpoint.OfTerms() {
			c.terms = l
			break
		}
	}
	return c
}

// knowsCodes compares the language codes that the site gets with Polylang's, which accepts a
// code in any case (recording categories-list-lang-upper).
func (c *comparison) knowsCodes() bool {
	all := true
	for _, r := range c.roots {
		if c.plugin != nil && !slices.ContainsFunc(c.codes(), func(code string) bool { return strings.EqualFold(code, r.code()) }) {
			r.unknown, all = r.code(), false
		}
	}
	return all
}

// codes returns the languages of Polylang.
func (c *comparison) codes() (all []string) {
	for _, l := range c.plugin {
		all = append(all, l.Slug)
	}
	return all
}

// conclude compares the configuration with what works.
func (c *comparison) conclude(ctx context.Context) {
	got := c.all(ctx, c.events, asConfigured)
	switch {
	case slices.ContainsFunc(got, func(s listSample) bool { return errors.Is(s.err, upstream.ErrNotRecorded) }):
		c.unrecorded = true
	case !slices.ContainsFunc(got, func(s listSample) bool { return s.err != nil || len(s.ids) > 0 }):
		c.empty = true
	case differ(got):
		c.confirm(ctx, got)
	case c.advise(ctx, c.events):
	case len(got[0].languages) > 1 && got[1].sameItems(got[0]):
		c.mixed = counts(got[0].languages)
		c.advise(ctx, c.terms)
	case linksDiffer(got):
		c.onlyLinks = true
		for _, r := range c.roots {
			r.use(way{i18n.ByPath, "", c.legacy.Roots})
		}
	default:
		for i, r := range c.roots {
			r.listError, r.same = got[i].err, c.sameAs(got, i)
		}
	}
}

// all returns the lists of all languages.
func (c *comparison) all(ctx context.Context, l *lists, of func(*root) query) []listSample {
	var samples []listSample
	for _, r := range c.roots {
		samples = append(samples, l.get(ctx, of(r)))
	}
	return samples
}

// asConfigured returns the list that clients get of the language of a root.
func asConfigured(r *root) query {
	if r.configured().Select == i18n.ByParameter {
		return query{r.Upstream, r.site.param, r.configured().Code}
	}
	return query{root: r.Upstream}
}

// confirm reports that the configuration works, unless the parameter of a language returns
// another list than its root, which got has.
func (c *comparison) confirm(ctx context.Context, got []listSample) {
	for i, r := range c.roots {
		by := cmp.Or(r.configured().Select, i18n.ByBoth)
		if by == i18n.ByBoth && c.param != "" {
			with := c.events.get(ctx, query{r.Upstream, c.param, r.configured().Code})
			switch {
			case with.err != nil:
				by, r.otherwise = i18n.ByPath, with.err.Error()
			case !with.same(got[i]):
				by, r.otherwise = i18n.ByPath, "another list"
			}
		}
		r.use(way{by, c.param, c.legacy.Roots})
		// TranslatePress has the same items in all languages.
		r.fallsBack = !got[i].sameItems(got[0]) && got[i].shares(got[0])
	}
}

// ways returns those that a site may support, the simplest first.
func (c *comparison) ways() []way {
	var params []string
	for _, param := range []string{c.param, polylangParam, mapping.Tribe.LanguageParam} {
		if param != "" && !slices.Contains(params, param) {
			params = append(params, param)
		}
	}
	ways := []way{{i18n.ByPath, "", c.legacy.Roots}}
	for _, by := range []i18n.Select{i18n.ByParameter, i18n.ByBoth} {
		for _, param := range params {
			ways = append(ways, way{by, param, c.legacy.Roots})
		}
	}
	return append(ways, way{i18n.ByPath, "", c.derived.Roots})
}

// advise finds the first way that works, and reports it if the configuration has something
// else. It is false if none does.
func (c *comparison) advise(ctx context.Context, l *lists) bool {
	ways := c.ways()
	i := slices.IndexFunc(ways, func(w way) bool { return c.works(ctx, l, w) })
	if i < 0 {
		return false
	}
	fits := differ(c.all(ctx, l, asConfigured))
	for _, r := range c.roots {
		r.use(ways[i])
		if fits {
			continue
		}
		r.advice = ways[i].String()
		if r.Works.Upstream != r.Upstream {
			r.advice += " and upstream: " + r.Works.Upstream
		}
	}
	return true
}

// works reports whether a way selects every language. A parameter does if its value makes
// lists differ that are the same with an unknown parameter.
func (c *comparison) works(ctx context.Context, l *lists, w way) bool {
	if !differ(c.all(ctx, l, w.query)) {
		return false
	}
	if w.by == i18n.ByPath {
		return true
	}
	control := c.all(ctx, l, way{i18n.ByParameter, unknownParam, w.roots}.query)
	return !slices.ContainsFunc(control, func(s listSample) bool { return !s.same(control[0]) })
}

// use reports a way that works.
func (r *root) use(w way) {
	if w.by == i18n.ByPath {
		w.param = ""
	}
	own := r.configured()
	r.Works = &Selection{Root: own.Root, Upstream: w.query(r).root, Select: w.by, LanguageParam: w.param}
	r.Works.Configured = r.Works.Upstream == r.Upstream && w.by == cmp.Or(own.Select, i18n.ByBoth) &&
		(w.by == i18n.ByPath || w.param == r.site.param)
}

// sameAs returns the codes of the other languages whose sample is the same as language i's.
func (c *comparison) sameAs(samples []listSample, i int) string {
	var codes []string
	for j, r := range c.roots {
		if j != i && samples[i].same(samples[j]) {
			codes = append(codes, r.Language)
		}
	}
	return strings.Join(codes, ", ")
}

// linksDiffer reports whether the pages of the same items are in another language in each
// sample.
func linksDiffer(samples []listSample) bool {
	seen := map[string]bool{}
	for _, s := range samples {
		if !s.same(samples[0]) || len(s.languages) != 1 {
			return false
		}
		seen[counts(s.languages)] = true
	}
	return len(seen) == len(samples)
}

// counts returns how many there are of each, the largest number first.
func counts(of map[string]int) string {
	codes := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(of[b]-of[a], strings.Compare(a, b)) })
	for i, code := range codes {
		codes[i] = fmt.Sprintf("%s %d", code, of[code])
	}
	return strings.Join(codes, ", ")
}
