package sim

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

func itoa(n int) string { return strconv.Itoa(n) }

// stripSlashes is what WordPress does to everything written: one backslash
// goes, two become one.
func stripSlashes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			if i++; i == len(s) {
				break
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

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
			b.WriteString(lang.quotes[0])
			open[r] = true
		case r == '"':
			b.WriteString(lang.quotes[1])
		case r == '\'' && opens:
			b.WriteString(lang.quotes[2])
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
