package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// What a site needs that answers alike whatever the language is.
const (
	needsLines = "Polylang's free edition applies lang to categories and tags alone: for lists of one language the site " +
		"needs a few lines of its own that set the language of REST queries (pre_get_posts)"
	needsFilter = "the site translates its pages and not this interface: with TranslatePress a filter of the site " +
		"(trp_rest_api_translation_config) has to name its namespace"
)

// conclude compares the configuration with what works.
func (p *languageProof) conclude(ctx context.Context, findings []Finding) {
	p.show(ctx, findings)
	if !p.knowsCodes(findings) {
		return
	}
	unnamed, named := p.configured()
	got := p.events.all(ctx, unnamed)
	if slices.ContainsFunc(got, func(s listSample) bool { return errors.Is(s.err, upstream.ErrNotRecorded) }) {
		note(findings, "the recording does not hold the lists that tell languages apart: nothing is proven")
		return
	}
	if !slices.ContainsFunc(got, func(s listSample) bool { return s.err != nil || len(s.ids) > 0 }) {
		note(findings, "there are no items to tell languages apart by: nothing is proven")
		return
	}
	if differ(got) {
		p.confirm(ctx, findings, unnamed, named)
	} else if w, ok := p.found(ctx, p.events); ok {
		p.advise(ctx, findings, p.events, w)
	} else {
		p.explain(ctx, findings, got)
	}
}

// confirm says that the configuration works, unless naming a language gives another
// list than its root.
func (p *languageProof) confirm(ctx context.Context, findings []Finding, unnamed, named []asking) {
	for i, l := range p.site {
		findings[i].Works = p.selection(i, way{cmp.Or(l.Select, i18n.ByBoth), p.param, p.roots})
		if l.Select == i18n.ByPath {
			findings[i].Works.LanguageParam = ""
		}
		with := p.events.ask(ctx, named[i])
		if with.same(p.events.ask(ctx, unnamed[i])) {
			continue
		}
		why := "another list"
		if with.err != nil {
			why = with.err.Error()
		}
		findings[i].problem("with %s=%s the root answers otherwise than without (%s): use select: path", p.param, l.Told(), why)
		findings[i].Works = p.selection(i, way{by: i18n.ByPath, roots: p.roots})
	}
}

// advise says what works, where that is not what is configured.
func (p *languageProof) advise(ctx context.Context, findings []Finding, l *lists, w way) {
	unnamed, _ := p.configured()
	fits := differ(l.all(ctx, unnamed))
	for i := range p.site {
		findings[i].Works = p.selection(i, w)
		if fits {
			continue
		}
		what := w.String()
		if u := findings[i].Works.Upstream; u != p.roots[i] {
			what += " and upstream: " + u
		}
		findings[i].problem("the configuration does not choose this language, but %s does", what)
	}
}

// explain says why lists do not differ, and what the site needs.
func (p *languageProof) explain(ctx context.Context, findings []Finding, got []listSample) {
	byLinks := way{by: i18n.ByPath, roots: p.roots}
	switch {
	case len(got[0].languages) > 1 && got[1].sameItems(got[0]):
		note(findings, "every list holds items of all languages (%s), whatever is asked for", counts(got[0].languages))
		if p.plugin != nil {
			note(findings, needsLines)
		}
		if w, ok := p.found(ctx, p.terms); ok {
			p.advise(ctx, findings, p.terms, w)
		}
	case linksTell(got):
		for i := range findings {
			findings[i].Works = p.selection(i, byLinks)
		}
		note(findings, "every root has the same items with the same texts, and only links differ: "+needsFilter)
	default:
		for i, s := range got {
			others := slices.DeleteFunc(p.sameAs(got, i), func(code string) bool { return code == p.site[i].Code })
			switch {
			case s.err != nil && len(findings[i].Problems) == 0:
				findings[i].problem("its list: %v", s.err)
			case len(others) > 0:
				findings[i].problem("answers the same as %s, and nothing that was tried chooses the language", strings.Join(others, ", "))
			}
		}
	}
}

// linksTell reports whether the pages of the same items are of another language each
// time.
func linksTell(samples []listSample) bool {
	seen := map[string]bool{}
	for _, s := range samples {
		if !s.same(samples[0]) || len(s.languages) != 1 {
			return false
		}
		seen[slices.Collect(maps.Keys(s.languages))[0]] = true
	}
	return len(seen) == len(samples)
}

// knowsCodes compares what the site is told with the languages that Polylang lists.
func (p *languageProof) knowsCodes(findings []Finding) bool {
	all := true
	var known []string
	for _, l := range p.plugin {
		known = append(known, l.Slug)
	}
	for i, l := range p.site {
		// Polylang takes a code in any case (recording categories-list-lang-upper).
		if len(known) > 0 && !slices.ContainsFunc(known, func(slug string) bool { return strings.EqualFold(slug, l.Told()) }) {
			findings[i].problem("the site does not know the language %q but %s: set languages[].tell", l.Told(), strings.Join(known, ", "))
			all = false
		}
	}
	return all
}

// show notes the lists that were asked for by each way.
func (p *languageProof) show(ctx context.Context, findings []Finding) {
	ways := []way{{by: i18n.ByPath, roots: p.roots}}
	for _, param := range []string{p.param, polylangParam} {
		if param != "" && (param == p.param || p.plugin != nil && param != p.param) {
			ways = append(ways, way{i18n.ByParameter, param, p.roots}, way{i18n.ByBoth, param, p.roots})
		}
	}
	for _, w := range ways {
		askings := w.askings(p.site, w.param)
		samples := p.events.all(ctx, askings)
		for i, s := range samples {
			asked := AskedList{By: w.by, Upstream: askings[i].root, Param: w.param, Total: s.total, Languages: s.languages, SameAs: p.sameAs(samples, i)}
			if s.err != nil {
				asked.Error = s.err.Error()
			}
			findings[i].Asked = append(findings[i].Asked, asked)
		}
	}
}

// sameAs are the other languages whose sample is the same as that of language i.
func (p *languageProof) sameAs(samples []listSample, i int) []string {
	codes := []string{}
	for j, l := range p.site {
		if j != i && samples[i].same(samples[j]) {
			codes = append(codes, l.Code)
		}
	}
	return codes
}

// counts tells how many there are of each, the most first.
func counts(of map[string]int) string {
	codes := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(of[b]-of[a], strings.Compare(a, b)) })
	for i, code := range codes {
		codes[i] = fmt.Sprintf("%s %d", code, of[code])
	}
	return strings.Join(codes, ", ")
}

func note(findings []Finding, format string, args ...any) {
	for i := range findings {
		findings[i].Notes = append(findings[i].Notes, fmt.Sprintf(format, args...))
	}
}
