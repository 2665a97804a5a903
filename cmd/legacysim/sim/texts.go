package sim

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/calfacade/calfacade/i18n"
)

// text is a message in the language.
func (l *language) text(english string, args ...any) string {
	return fmt.Sprintf(cmp.Or(l.Messages[english], english), args...)
}

// shared is a message of WordPress that the catalogs have; pairs are its placeholders and their values.
func (l *language) shared(key string, pairs ...string) string {
	args := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		args[pairs[i]] = pairs[i+1]
	}
	return i18n.Catalog(l.code).Text(key, args)
}

func itoa(n int) string { return strconv.Itoa(n) }

// stripSlashes does to a text what WordPress does to everything written: one backslash
// goes, two become one.
func stripSlashes(s string) string { return backslash.ReplaceAllString(s, "$1") }

var backslash = regexp.MustCompile(`(?s)\\(.?)`)

var (
	forbiddenTags  = regexp.MustCompile(`(?i)</?(script|iframe|style|form)\b[^>]*>`)
	eventHandlers  = regexp.MustCompile(`(?i)\s+on\w+\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)`)
	titleTags      = regexp.MustCompile(`(?i)</?(?:a|abbr|acronym|b|blockquote|cite|code|del|em|i|q|s|strike|strong)\b[^>]*>|<!--.*?-->`)
	anyEntity      = regexp.MustCompile(`&(#\d+;|#[xX][0-9a-fA-F]+;|\w+;)?`)
	dashes         = strings.NewReplacer("...", "&#8230;", " - ", " &#8211; ", " -- ", " &#8212; ")
	unfilteredTags = regexp.MustCompile(`(?s)<(code|pre|script|style)\b.*?</(code|pre|script|style)>|<!--.*?-->|<[^>]*>`)
)

// kses is the filter for texts of users who are not trusted with raw HTML.
func kses(s string) string {
	return escapeAmpersands(eventHandlers.ReplaceAllString(forbiddenTags.ReplaceAllString(s, ""), ""), "&amp;")
}

// ksesTitle leaves only what makes words stand out.
func ksesTitle(s string) string {
	return kses(anyTag.ReplaceAllStringFunc(s, func(tag string) string {
		if titleTags.MatchString(tag) {
			return tag
		}
		return ""
	}))
}

// escapeAmpersands replaces those that begin no entity.
func escapeAmpersands(s, by string) string {
	return anyEntity.ReplaceAllStringFunc(s, func(m string) string {
		if m == "&" {
			return by
		}
		return m
	})
}

// texturize is the simple half of wptexturize: quotes, apostrophes and
// ampersands become entities, tags and code stay as they are.
func texturize(s string, lang *language) string {
	if !strings.ContainsAny(s, `"'&.-`) {
		return s
	}
	var b strings.Builder
	last := 0
	for _, m := range unfilteredTags.FindAllStringIndex(s, -1) {
		b.WriteString(texturizePlain(s[last:m[0]], lang))
		b.WriteString(s[m[0]:m[1]])
		last = m[1]
	}
	b.WriteString(texturizePlain(s[last:], lang))
	return b.String()
}

func texturizePlain(s string, lang *language) string {
	s = escapeAmpersands(s, "&#038;")
	s = dashes.Replace(s)
	var b strings.Builder
	before, open := ' ', map[rune]bool{}
	for _, r := range s {
		opens := unicode.IsSpace(before) || strings.ContainsRune("([{-/", before)
		switch {
		case r == '"' && opens:
			b.WriteString(lang.Quotes[0])
			open[r] = true
		case r == '"':
			b.WriteString(lang.Quotes[1])
		case r == '\'' && opens:
			b.WriteString(lang.Quotes[2])
			open[r] = true
		case r == '\'' && unicode.IsDigit(before) && !open[r]:
			b.WriteString("&#8242;")
		case r == '\'':
			b.WriteString("&#8217;")
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

var anyTag = regexp.MustCompile(`<[^>]*>`)

// translated is a title or a name as the site shows it below the directory of a
// language. Only a site that translates its answers has a dictionary.
func (c *call) translated(original string) string {
	if c.site.opts.Languages != OneIDTranslated || c.root.lang == c.site.languages[0] {
		return original
	}
	if t, found := c.root.lang.dictionary()[original]; found {
		return t
	}
	return original
}

// dictionary pairs what the seeds of the default language and of another call things. What has no
// pair is not translated.
func (l *language) dictionary() map[string]string {
	from, to, d := languages()[0].seedTexts, l.seedTexts, map[string]string{}
	for _, key := range []string{"sticky", "featured", "trio"} {
		d[from.Special[key]] = to.Special[key]
	}
	for i := range min(len(from.Venues), len(to.Venues)) {
		d[from.Venues[i].Name] = to.Venues[i].Name
	}
	for i := range min(len(from.Categories), len(to.Categories)) {
		d[storedName(from.Categories[i].Name)] = storedName(to.Categories[i].Name)
	}
	return d
}

// groupItems makes the nth thing of a kind the translation of the nth in every other
// language.
func (b *blog) groupItems() {
	seen := map[string]int{}
	next := func(of string) group {
		seen[of]++
		return group{of, seen[of]}
	}
	for _, p := range b.byID {
		p.group = next(string(p.kind))
	}
	for id := b.lang.firstTerm + 1; id <= b.lastTerm; id++ {
		if t := b.terms[id]; t != nil {
			t.group = next(string(t.taxonomy))
		}
	}
}

// take adds another language's content to the blog, as one WordPress has it: slugs are
// unique.
func (b *blog) take(other *blog) {
	for _, p := range other.byID {
		if p.slug != "" {
			p.slug = b.freeSlug(p.kind, p.slug, p.id)
		}
		b.put(p)
		b.translations[inGroup{p.group, p.lang.code}] = p.id
	}
	for id := other.lang.firstTerm + 1; id <= other.lastTerm; id++ {
		t := other.terms[id]
		if t == nil {
			continue
		}
		t.slug = b.freeTermSlug(t.taxonomy, t.slug)
		b.terms[id] = t
		b.translations[inGroup{t.group, t.lang.code}] = id
	}
	b.lastPost, b.lastTerm = other.lastPost, other.lastTerm
}

// inLanguage is the published translation of a post, or else the post: what a site
// shows that falls back to the original.
func (b *blog) inLanguage(p *post, lang *language) *post {
	if t := b.post(b.translations[inGroup{p.group, lang.code}]); t != nil && t.status == "publish" {
		return t
	}
	return p
}

func (b *blog) termInLanguage(t *term, lang *language) *term {
	if other := b.terms[b.translations[inGroup{t.group, lang.code}]]; other != nil {
		return other
	}
	return t
}

// Translate makes a post the translation of another, as the translation plugin does
// once both are there.
func (s *Site) Translate(id, of int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.blogs {
		p, original := b.post(id), b.post(of)
		if p == nil || original == nil {
			continue
		}
		if original.group.number == 0 {
			original.group = group{string(original.kind), -of}
			b.translations[inGroup{original.group, original.lang.code}] = of
		}
		p.group = original.group
		b.translations[inGroup{p.group, p.lang.code}] = id
	}
}
