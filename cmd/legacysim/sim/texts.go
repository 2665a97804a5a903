package sim

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/calfacade/calfacade/i18n"
)

// text is a message in the language.
func (l *language) text(english string, args ...any) string {
	return fmt.Sprintf(cmp.Or(l.Messages[english], english), args...)
}

// shared is a message of WordPress that the catalogs have, with values for the placeholders.
func (l *language) shared(key string, values map[string]string) string {
	return i18n.Catalog(l.code).Text(key, values)
}

func itoa(n int) string { return strconv.Itoa(n) }

// stripSlashes removes backslashes from a text, as WordPress does from everything written: one is removed,
// two become one.
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

// ksesTitle leaves only the tags that a title may have.
func ksesTitle(s string) string {
	return kses(anyTag.ReplaceAllStringFunc(s, func(tag string) string {
		if titleTags.MatchString(tag) {
			return tag
		}
		return ""
	}))
}

// escapeAmpersands replaces those that begin no entity.
func escapeAmpersands(s, replacement string) string {
	return anyEntity.ReplaceAllStringFunc(s, func(m string) string {
		if m == "&" {
			return replacement
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
	previous := ' '
	open := map[rune]bool{}
	for _, r := range s {
		opens := unicode.IsSpace(previous) || strings.ContainsRune("([{-/", previous)
		switch {
		case r == '"' && opens:
			b.WriteString(lang.Quotes[0])
			open[r] = true
		case r == '"':
			b.WriteString(lang.Quotes[1])
		case r == '\'' && opens:
			b.WriteString(lang.Quotes[2])
			open[r] = true
		case r == '\'' && unicode.IsDigit(previous) && !open[r]:
			b.WriteString("&#8242;")
		case r == '\'':
			b.WriteString("&#8217;")
		default:
			b.WriteRune(r)
		}
		previous = r
	}
	return b.String()
}

var anyTag = regexp.MustCompile(`<[^>]*>`)

// translated is a title or a name as shown below the directory of a language. Only a site that translates its
// answers has a dictionary.
func (c *call) translated(original string) string {
	if c.site.opts.Languages != OneIDTranslated || c.root.lang == c.site.languages[0] {
		return original
	}
	if t, ok := c.root.lang.dictionary()[original]; ok {
		return t
	}
	return original
}

// dictionary pairs the names in the seeds of the default language and of another language. A name without a
// pair is not translated.
func (l *language) dictionary() map[string]string {
	originals := languages()[0].seedTexts
	translations := l.seedTexts
	d := map[string]string{}
	for _, key := range []string{"sticky", "featured", "trio"} {
		d[originals.Special[key]] = translations.Special[key]
	}
	for i := range min(len(originals.Venues), len(translations.Venues)) {
		d[originals.Venues[i].Name] = translations.Venues[i].Name
	}
	for i := range min(len(originals.Categories), len(translations.Categories)) {
		d[storedName(originals.Categories[i].Name)] = storedName(translations.Categories[i].Name)
	}
	return d
}

// items are all posts and terms, each by id.
func (b *blog) items() (items []*item) {
	for _, p := range b.byID {
		items = append(items, &p.item)
	}
	for _, id := range slices.Sorted(maps.Keys(b.terms)) {
		items = append(items, &b.terms[id].item)
	}
	return items
}

// groupItems makes the nth thing of a kind in another language's content the translation of the nth in every other
// language.
func (b *blog) groupItems(source *blog) {
	counts := map[kind]int{}
	for _, i := range source.items() {
		counts[i.kind]++
		b.group(i, string(i.kind)+itoa(counts[i.kind]))
	}
}

// take adds another language's content to the blog, as one WordPress has it: slugs are
// unique.
func (b *blog) take(source *blog) {
	for _, p := range source.byID {
		if p.slug != "" {
			p.slug = b.freeSlug(p.kind, p.slug, p.id)
		}
		b.put(p)
	}
	for _, id := range slices.Sorted(maps.Keys(source.terms)) {
		t := source.terms[id]
		t.slug = b.freeTermSlug(t.kind, t.slug)
		b.terms[id] = t
	}
	b.lastPost = source.lastPost
	b.lastTerm = source.lastTerm
}

// group makes the item one of a group, as which it is a translation of the others.
func (b *blog) group(i *item, group string) {
	i.group = group
	b.translations[[2]string{group, i.lang.code}] = i
}

// inLanguage is the published translation of an item, or else the item, for sites that fall back to the
// original.
func (b *blog) inLanguage(i *item, lang *language) *item {
	t := b.translations[[2]string{i.group, lang.code}]
	if t == nil || t.isMissing || !t.kind.ofTerms() && b.posts[t.id].status != "publish" {
		return i
	}
	return t
}

// Translate makes a post the translation of another, as the translation plugin does
// once both are there.
func (s *Site) Translate(id, originalID int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.blogs {
		if p, original := b.post(id), b.post(originalID); p != nil && original != nil {
			b.group(&original.item, cmp.Or(original.group, "written"+itoa(originalID)))
			b.group(&p.item, original.group)
		}
	}
}
