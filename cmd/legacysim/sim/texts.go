package sim

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

func itoa(n int) string { return strconv.Itoa(n) }

// stripSlashes removes backslashes from a text, as WordPress does from everything written: one is removed,
// two become one.
func stripSlashes(s string) string { return backslash.ReplaceAllString(s, "$1") }

var backslash = regexp.MustCompile(`(?s)\\(.?)`)

var (
	dashes         = strings.NewReplacer("...", "&#8230;", " - ", " &#8211; ", " -- ", " &#8212; ")
	unfilteredTags = regexp.MustCompile(`(?s)<(code|pre|script|style)\b.*?</(code|pre|script|style)>|<!--.*?-->|<[^>]*>`)
)

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
	for _, r := range s {
		opens := unicode.IsSpace(previous) || strings.ContainsRune("([{-/", previous)
		switch {
		case r == '"' && opens:
			b.WriteString(lang.Quotes[0])
		case r == '"':
			b.WriteString(lang.Quotes[1])
		case r == '\'' && opens:
			b.WriteString(lang.Quotes[2])
		case r == '\'':
			b.WriteString("&#8217;")
		default:
			b.WriteRune(r)
		}
		previous = r
	}
	return b.String()
}

var anyEntity = regexp.MustCompile(`&(#\d+;|#[xX][0-9a-fA-F]+;|\w+;)?`)

var anyTag = regexp.MustCompile(`<[^>]*>`)

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
