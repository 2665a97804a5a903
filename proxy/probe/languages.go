package probe

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// configured returns the configuration of the root's language.
func (r *examinedRoot) configured() i18n.Language { return r.options.Site[r.language] }

// code returns the language code that the site gets.
func (r *examinedRoot) code() string { return r.configured().UpstreamCode() }

// comparison finds the way that selects the language of the legacy's responses.
type comparison struct {
	roots   []*examinedRoot // by language
	legacy  *Backend
	derived *Backend // with a root in a directory of each language, not configured
	plugin  []string // codes of Polylang's languages; nil without Polylang
	samples map[query]listSample
}

// The lists that are compared.
var (
	lists      = mapping.WidestLists()
	events     = lists[0]
	categories = lists[slices.IndexFunc(lists, func(call *mapping.Call) bool { return call.Endpoint.OfTerms() })]
)

const (
	// The needs of a site with the same responses in all languages.
	needsCode = "Polylang's free edition applies lang to categories and tags only: to list one language, the site needs " +
		"code of its own that sets the language of REST queries (pre_get_posts)"
	needsFilter = "all roots have the same items and texts, only links differ: the site translates its pages but not this API: " +
		"with TranslatePress, a filter of the site (trp_rest_api_translation_config) must add its namespace"
)

// compareLanguages finds the way that selects the language of the legacy's responses, and adds the result
// to the findings.
func compareLanguages(ctx context.Context, o *Options, roots []*examinedRoot) {
	// A directory that the site does not have is a result. A host that is down is not.
	down := slices.ContainsFunc(roots, func(r *examinedRoot) bool { return !r.Reachable })
	if len(roots) < 2 || down || !roots[0].Plugin {
		return
	}
	home, suffix := roots[0].split()
	upstreams := map[string]string{roots[0].Language: roots[0].Upstream}
	for _, r := range roots[1:] {
		upstreams[r.Language] = home + "/" + r.code() + suffix
	}
	derived := o.LegacyAt(upstreams)
	c := &comparison{roots: roots, legacy: &o.Backends[0], derived: &derived, plugin: roots[0].pluginLanguages(ctx),
		samples: map[query]listSample{}}
	if c.knowsCodes() {
		c.conclude(ctx)
	}
}

// find adds a finding to each root.
func (c *comparison) find(s severity, holds bool, text string, args ...any) {
	for _, r := range c.roots {
		r.find(s, holds, text, args...)
	}
}

// knowsCodes compares the language codes that the site gets with Polylang's, which accepts a
// code in any case (recording categories-list-lang-upper).
func (c *comparison) knowsCodes() bool {
	allKnown := true
	for _, r := range c.roots {
		isKnown := c.plugin == nil || slices.ContainsFunc(c.plugin, func(code string) bool { return strings.EqualFold(code, r.code()) })
		r.find(problem, !isKnown, "the site has no language %q, only %s: set languages[].tell", r.code(), strings.Join(c.plugin, ", "))
		allKnown = allKnown && isKnown
	}
	return allKnown
}

// conclude compares the configuration with the ways that work.
func (c *comparison) conclude(ctx context.Context) {
	samples := c.lists(ctx, events, asConfigured)
	switch {
	case slices.ContainsFunc(samples, func(s listSample) bool { return errors.Is(s.err, upstream.ErrNotRecorded) }):
		c.find(note, true, "the recording has no lists of all languages to compare: what selects the language is unknown")
	case !slices.ContainsFunc(samples, func(s listSample) bool { return s.err != nil || len(s.items) > 0 }):
		c.find(note, true, "the lists have no items to compare: what selects the language is unknown")
	case differ(samples):
		c.confirm(ctx, samples)
	case c.advise(ctx, events):
	case linksDiffer(samples):
		c.find(note, true, needsFilter)
		for _, r := range c.roots {
			r.use(way{method: i18n.ByPath, param: "", backend: c.legacy})
		}
	case c.plugin != nil && samples[1].equals(samples[0]):
		c.find(note, true, "every list has the items of all languages, whichever is requested")
		c.find(note, true, needsCode)
		c.advise(ctx, categories) // which Polylang filters by language, even if nothing else
	default:
		for i, r := range c.roots {
			twin := c.sameAs(samples, i)
			r.find(problem, samples[i].err != nil && r.OK(), "list: %v", samples[i].err)
			r.find(problem, twin != "", "same response as %s, and nothing that was tried selects the language", twin)
		}
	}
}

// lists returns the lists of all languages.
func (c *comparison) lists(ctx context.Context, list *mapping.Call, queryOf func(*examinedRoot) query) (samples []listSample) {
	for _, r := range c.roots {
		q := queryOf(r)
		q.list = list
		samples = append(samples, c.get(ctx, q))
	}
	return samples
}

// get requests a list once.
func (c *comparison) get(ctx context.Context, q query) listSample {
	s, ok := c.samples[q]
	if !ok {
		s = c.fetch(ctx, q)
		c.samples[q] = s
	}
	return s
}

func (c *comparison) fetch(ctx context.Context, q query) listSample {
	b := *q.backend
	b.Dialect.LanguageParam = q.param
	response, err := b.list(ctx, q.url(), q.list, q.code)
	if err != nil {
		return listSample{err: err}
	}
	page, err := mapping.ParseList(q.list, response.Body)
	if err != nil {
		return listSample{err: rewrite.ErrNotJSON} // err may quote the body
	}
	s := listSample{total: page.Total}
	for _, item := range page.Items {
		s.items = append(s.items, listItem{id: item.ID, words: mapping.Words(q.list, item)})
		s.links = append(s.links, item.Page())
	}
	return s
}

// asConfigured returns the list that clients get of the language of a root.
func asConfigured(r *examinedRoot) query {
	q := query{backend: r.backend, root: r.language}
	if r.configured().Select == i18n.ByParameter {
		q.param = r.backend.Dialect.LanguageParam
		q.code = r.Language
	}
	return q
}

// confirm reports that the configuration works, unless the parameter of a language returns
// another list than the language's root, which samples has.
func (c *comparison) confirm(ctx context.Context, samples []listSample) {
	param := c.legacy.Dialect.LanguageParam
	for i, r := range c.roots {
		method := cmp.Or(r.configured().Select, i18n.ByBoth)
		if method == i18n.ByBoth && param != "" {
			sample := c.get(ctx, query{
				list:    events,
				backend: c.legacy,
				root:    i,
				param:   param,
				code:    r.Language,
			})
			otherwise := "another list"
			if sample.err != nil {
				otherwise = sample.err.Error()
			}
			if r.find(problem, !sample.equals(samples[i]), "with %s=%s the root responds differently (%s): use select: path",
				param, r.code(), otherwise) {
				method = i18n.ByPath
			}
		}
		r.use(way{method: method, param: param, backend: c.legacy})
		// TranslatePress has the same items in all languages.
		r.find(note, !samples[i].sameItems(samples[0]) && samples[i].shares(samples[0]),
			"lists fall back to %s: items without a translation show the original", r.first.Language)
	}
}

// ways returns those that a site may support, the simplest first.
func (c *comparison) ways() []way {
	ways := []way{{i18n.ByPath, "", c.legacy}}
	for _, method := range []i18n.Select{i18n.ByParameter, i18n.ByBoth} {
		for _, param := range []string{c.legacy.Dialect.LanguageParam, polylangParam, tribe.Dialect.LanguageParam} {
			if param != "" { // a list that was requested is not requested again
				ways = append(ways, way{method: method, param: param, backend: c.legacy})
			}
		}
	}
	return append(ways, way{method: i18n.ByPath, param: "", backend: c.derived})
}

// advise finds the first way that works, and reports the way if the configuration has another. advise returns false
// if no way works.
func (c *comparison) advise(ctx context.Context, list *mapping.Call) bool {
	ways := c.ways()
	i := slices.IndexFunc(ways, func(w way) bool { return c.works(ctx, list, w) })
	if i < 0 {
		return false
	}
	fits := differ(c.lists(ctx, list, asConfigured))
	for _, r := range c.roots {
		r.use(ways[i])
		settings := ways[i].String()
		if r.Works.Upstream != r.Upstream {
			settings += " and upstream: " + r.Works.Upstream
		}
		r.find(problem, !fits, "the configuration does not select this language, but %s does", settings)
	}
	return true
}

// works reports whether a way selects every language. A parameter works if its values
// distinguish lists that are the same with an unknown parameter.
func (c *comparison) works(ctx context.Context, list *mapping.Call, w way) bool {
	if !differ(c.lists(ctx, list, w.query)) {
		return false
	}
	if w.method == i18n.ByPath {
		return true
	}
	control := c.lists(ctx, list, way{method: i18n.ByParameter, param: unknownParam, backend: w.backend}.query)
	return !slices.ContainsFunc(control, func(s listSample) bool { return !s.equals(control[0]) })
}

// use reports a way that works.
func (r *examinedRoot) use(w way) {
	if w.method == i18n.ByPath {
		w.param = ""
	}
	configured := r.configured()
	r.Works = &Selection{Root: configured.Root, Upstream: w.query(r).url(), Select: w.method, LanguageParam: w.param}
	r.Works.Configured = r.Works.Upstream == r.Upstream && w.method == cmp.Or(configured.Select, i18n.ByBoth) &&
		(w.method == i18n.ByPath || w.param == r.backend.Dialect.LanguageParam)
}

// sameAs returns the codes of the other languages with the same sample as language i.
func (c *comparison) sameAs(samples []listSample, i int) string {
	var codes []string
	for j, r := range c.roots {
		if j != i && samples[i].equals(samples[j]) {
			codes = append(codes, r.Language)
		}
	}
	return strings.Join(codes, ", ")
}

// linksDiffer reports whether all samples have the same items and texts, and each has other links.
func linksDiffer(samples []listSample) bool {
	for i, s := range samples {
		sameLinks := func(o listSample) bool { return slices.Equal(o.links, s.links) }
		if !s.equals(samples[0]) || slices.ContainsFunc(samples[:i], sameLinks) {
			return false
		}
	}
	return true
}
