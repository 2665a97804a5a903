package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// What a site lacks if its responses are the same in all languages.
const (
	needsCode = "Polylang's free edition applies lang to categories and tags only: to list one language, the site " +
		"needs code of its own that sets the language of REST queries (pre_get_posts)"
	needsFilter = "the site translates its pages but not this API: with TranslatePress, a filter of the site " +
		"(trp_rest_api_translation_config) must add its namespace"
)

// conclude compares the configuration with what works.
func (c *comparison) conclude(ctx context.Context, findings []Finding) {
	c.show(ctx, findings)
	if !c.knowsCodes(findings) {
		return
	}
	unnamed, named := c.configured()
	got := c.events.all(ctx, unnamed)
	if slices.ContainsFunc(got, func(s listSample) bool { return errors.Is(s.err, upstream.ErrNotRecorded) }) {
		note(findings, "the recording has no lists of all languages to compare: what selects the language is unknown")
		return
	}
	if !slices.ContainsFunc(got, func(s listSample) bool { return s.err != nil || len(s.ids) > 0 }) {
		note(findings, "the lists have no items to compare: what selects the language is unknown")
		return
	}
	if differ(got) {
		c.confirm(ctx, findings, unnamed, named)
	} else if w, ok := c.found(ctx, c.events); ok {
		c.advise(ctx, findings, c.events, w)
	} else {
		c.explain(ctx, findings, got)
	}
}

// confirm reports that the configuration works, unless the parameter of a language returns
// another list than its root.
func (c *comparison) confirm(ctx context.Context, findings []Finding, unnamed, named []query) {
	for i, l := range c.site {
		findings[i].Works = c.selection(i, way{cmp.Or(l.Select, i18n.ByBoth), c.param, c.roots})
		if l.Select == i18n.ByPath {
			findings[i].Works.LanguageParam = ""
		}
		with := c.events.get(ctx, named[i])
		if with.same(c.events.get(ctx, unnamed[i])) {
			continue
		}
		why := "another list"
		if with.err != nil {
			why = with.err.Error()
		}
		findings[i].problem("with %s=%s the root responds differently (%s): use select: path", c.param, l.UpstreamCode(), why)
		findings[i].Works = c.selection(i, way{by: i18n.ByPath, roots: c.roots})
	}
}

// advise reports what works if the configuration has something else.
func (c *comparison) advise(ctx context.Context, findings []Finding, l *lists, w way) {
	unnamed, _ := c.configured()
	fits := differ(l.all(ctx, unnamed))
	for i := range c.site {
		findings[i].Works = c.selection(i, w)
		if fits {
			continue
		}
		what := w.String()
		if u := findings[i].Works.Upstream; u != c.roots[i] {
			what += " and upstream: " + u
		}
		findings[i].problem("the configuration does not select this language, but %s does", what)
	}
}

// explain reports why lists do not differ, and what the site needs.
func (c *comparison) explain(ctx context.Context, findings []Finding, got []listSample) {
	byLinks := way{by: i18n.ByPath, roots: c.roots}
	switch {
	case len(got[0].languages) > 1 && got[1].sameItems(got[0]):
		note(findings, "every list has items of all languages (%s), whichever is requested", counts(got[0].languages))
		if c.plugin != nil {
			note(findings, needsCode)
		}
		if w, ok := c.found(ctx, c.terms); ok {
			c.advise(ctx, findings, c.terms, w)
		}
	case linksDiffer(got):
		for i := range findings {
			findings[i].Works = c.selection(i, byLinks)
		}
		note(findings, "all roots have the same items and texts, only links differ: "+needsFilter)
	default:
		for i, s := range got {
			others := slices.DeleteFunc(c.sameAs(got, i), func(code string) bool { return code == c.site[i].Code })
			switch {
			case s.err != nil && len(findings[i].Problems) == 0:
				findings[i].problem("list: %v", s.err)
			case len(others) > 0:
				findings[i].problem("same response as %s, and nothing that was tried selects the language", strings.Join(others, ", "))
			}
		}
	}
}

// linksDiffer reports whether the pages of the same items are in another language in each
// sample.
func linksDiffer(samples []listSample) bool {
	seen := map[string]bool{}
	for _, s := range samples {
		if !s.same(samples[0]) || len(s.languages) != 1 {
			return false
		}
		seen[slices.Collect(maps.Keys(s.languages))[0]] = true
	}
	return len(seen) == len(samples)
}

// knowsCodes compares the language codes that the site gets with Polylang's.
func (c *comparison) knowsCodes(findings []Finding) bool {
	all := true
	var known []string
	for _, l := range c.plugin {
		known = append(known, l.Slug)
	}
	for i, l := range c.site {
		// Polylang accepts a code in any case (recording categories-list-lang-upper).
		if len(known) > 0 && !slices.ContainsFunc(known, func(slug string) bool { return strings.EqualFold(slug, l.UpstreamCode()) }) {
			findings[i].problem("the site has no language %q, only %s: set languages[].tell", l.UpstreamCode(), strings.Join(known, ", "))
			all = false
		}
	}
	return all
}

// show adds the lists of each way to the findings.
func (c *comparison) show(ctx context.Context, findings []Finding) {
	ways := []way{{by: i18n.ByPath, roots: c.roots}}
	for _, param := range []string{c.param, polylangParam} {
		if param != "" && (param == c.param || c.plugin != nil && param != c.param) {
			ways = append(ways, way{i18n.ByParameter, param, c.roots}, way{i18n.ByBoth, param, c.roots})
		}
	}
	for _, w := range ways {
		queries := w.queries(c.site, w.param)
		samples := c.events.all(ctx, queries)
		for i, s := range samples {
			tried := TriedList{By: w.by, Upstream: queries[i].root, Param: w.param, Total: s.total, Languages: s.languages,
				SameAs: c.sameAs(samples, i)}
			if s.err != nil {
				tried.Error = s.err.Error()
			}
			findings[i].Tried = append(findings[i].Tried, tried)
		}
	}
}

// sameAs returns the other languages whose sample is the same as language i's.
func (c *comparison) sameAs(samples []listSample, i int) []string {
	codes := []string{}
	for j, l := range c.site {
		if j != i && samples[i].same(samples[j]) {
			codes = append(codes, l.Code)
		}
	}
	return codes
}

// counts returns how many there are of each, the largest number first.
func counts(of map[string]int) string {
	codes := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(of[b]-of[a], strings.Compare(a, b)) })
	for i, code := range codes {
		codes[i] = fmt.Sprintf("%s %d", code, of[code])
	}
	return strings.Join(codes, ", ")
}

// addressNotes returns notes about the URLs of the REST root, the pages and the
// images of a site.
func (o *Options) addressNotes(b *Backend, root string, index restIndex) []string {
	var all []string
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	site, part := b.Dialect.Dialect.SplitRoot(root)
	linked := linkedRoot(index.header) // a site with pretty permalinks answers at index.php too
	switch {
	case siteurl.IsPlain(root) && linked != "" && !siteurl.IsPlain(linked):
	case siteurl.IsPlain(root) && o.Pages == "":
		note("has plain permalinks: the URLs of its pages contain vendor names unless rewrite.site is set")
	case siteurl.IsPlain(root):
		note("has plain permalinks: the URLs of its pages have neutral names, which %s must resolve", o.Pages)
	case part != "" && !standardPart.MatchString(part):
		note("has the REST prefix %s: its pages are assumed to be below %s", part[1:], site)
	}
	switch {
	case index.Home != "" && !b.Rewriter.Knows(index.Home):
		note("has its start page at %s: links to its pages are recognized if that is in upstream.site_aliases",
			upstream.BareURL(index.Home))
	case index.URL != "" && !b.Rewriter.Knows(index.URL):
		note("has WordPress at %s, outside of the site: rewrite.site moves its images if that is upstream.wordpress_url",
			upstream.BareURL(index.URL))
	}
	return all
}

var (
	standardPart = regexp.MustCompile(`^(/index\.php)?/wp-json$`)
	restRelation = regexp.MustCompile(`<([^<>]*)>; rel="https://api\.w\.org/"`)
)

// linkedRoot returns the REST root that WordPress links in the header of each page; "" if
// there is none.
func linkedRoot(h http.Header) string {
	for _, value := range h.Values("Link") {
		if found := restRelation.FindStringSubmatch(value); found != nil {
			if root := siteurl.Root(found[1]); siteurl.IsRoot(root) {
				return root
			}
		}
	}
	return ""
}

// describe compares the site's description of its API with what the dialect was made from.
func (b *Backend) describe(ctx context.Context, d *mapping.Description, f *Finding) {
	place := b.Dialect.Place()
	note := func(format string, args ...any) { f.Notes = append(f.Notes, fmt.Sprintf(format, args...)) }
	got, _, err := b.Client.Do(ctx, f.Upstream, upstream.Request{Method: http.MethodGet, Target: "/" + place + d.Path,
		Class: upstream.Read})
	if err == nil && got.Status != http.StatusOK {
		err = fmt.Errorf("status %d", got.Status)
	}
	var change mapping.DescriptionChange
	if err == nil {
		change, err = d.Compare(got.Body)
	}
	if err != nil {
		note("the document of %s at %s cannot be read: %v", place, d.Path, err)
		return
	}
	f.Document = &Document{Hash: change.Hash, Version: change.Version, Known: change.Known, Changes: append([]string{}, change.Changes...)}
	short := change.Hash[:min(len(change.Hash), shortHash)]
	switch {
	case change.Breaks:
		f.problem("the document of %s lacks what it had in version %s of the plugin: %s (sha256 %s)", place, change.Version,
			few(change.Changes), short)
	case change.Known:
		note("the document of %s is that of version %s of the plugin", place, change.Version)
	case len(change.Changes) > 0:
		note("the document of %s has changed since version %s of the plugin: %s (sha256 %s)", place, change.Version,
			few(change.Changes), short)
	default:
		note("the document of %s has changed since version %s of the plugin, in nothing that matters here (sha256 %s)", place,
			change.Version, short)
	}
}

// shortHash is how many characters of a hash are printed.
const shortHash = 12

// maxChanges is how many changes are printed; the JSON has all.
const maxChanges = 8

func few(changes []string) string {
	text := strings.Join(changes[:min(len(changes), maxChanges)], "; ")
	if more := len(changes) - maxChanges; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}
