package sim

import (
	"cmp"
	"slices"
	"strings"
)

// speak finds the language of the call, which is also that of the items it adds.
// An unknown one is the default, and the query beats the body.
func (c *call) speak() {
	if !c.site.opts.Languages.byParameter() {
		if !c.reads() && !c.site.opts.Languages.oneItem() {
			c.blog.lang = c.root.lang
		}
		return
	}
	requested := cmp.Or(c.query.str(langArg), c.params.str(langArg))
	if requested != "" {
		c.lang = c.site.languages[0]
		if i := slices.IndexFunc(c.site.languages, func(l *language) bool { return strings.EqualFold(l.code, requested) }); i > 0 {
			c.lang = c.site.languages[i]
		}
	}
	if !c.reads() {
		c.blog.lang = cmp.Or(c.lang, c.site.languages[0])
	}
}

// listsPost reports whether a post is in the lists of this call.
func (c *call) listsPost(p *post) bool {
	switch c.site.opts.Languages {
	case ByParameter:
		return c.lang == nil || p.lang == c.lang
	case Fallback:
		return c.blog.inLanguage(p, c.root.lang) == p && (p.lang == c.root.lang || p.lang == c.site.languages[0])
	}
	return true
}

func (c *call) listsTerm(t *term) bool {
	switch mode := c.site.opts.Languages; {
	case mode.byParameter():
		return c.lang == nil || t.lang == c.lang
	case mode == Fallback:
		return c.blog.termInLanguage(t, c.root.lang) == t && (t.lang == c.root.lang || t.lang == c.site.languages[0])
	}
	return true
}

// shownPosts are the posts that show where these are referred to: with WPML their
// translations, or the originals where there are none.
func (c *call) shownPosts(ids []int) []*post {
	var out []*post
	for _, id := range ids {
		p := c.blog.posts[id]
		if p != nil && c.site.opts.Languages == Fallback {
			p = c.blog.inLanguage(p, c.root.lang)
		}
		if p != nil {
			out = append(out, p)
		}
	}
	return out
}

// withTranslations adds the ids of translations: WPML finds the events of any.
func (c *call) withTranslations(ids []int) []int {
	if c.site.opts.Languages != Fallback {
		return ids
	}
	var out []int
	for _, id := range ids {
		out = append(out, id)
		for _, lang := range c.site.languages {
			if p := c.blog.post(id); p != nil {
				out = append(out, c.blog.inLanguage(p, lang).id)
			}
		}
	}
	return out
}

// polylang lists the languages, to everybody.
func (c *call) polylang() (*answer, error) {
	out := list{}
	for i, lang := range c.site.languages {
		locale := strings.ReplaceAll(lang.locale, "-", "_")
		out = append(out, object{
			{"name", lang.code}, {"slug", lang.code}, {"locale", locale}, {"w3c", lang.locale},
			{"home_url", c.base() + lang.prefix + "/"}, {"active", true}, {"is_default", i == 0},
		})
	}
	return ok(out)
}
