package sim

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

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

var (
	dashes         = strings.NewReplacer("...", "&#8230;", " - ", " &#8211; ", " -- ", " &#8212; ")
	unfilteredTags = regexp.MustCompile(`(?s)<(code|pre|script|style)\b.*?</(code|pre|script|style)>|<!--.*?-->|<[^>]*>`)
)

var (
	plainText  = strings.NewReplacer("&#8220;", `"`, "&#8221;", `"`, "</p>\n<p>", " ", "\n", " ")
	blankLines = regexp.MustCompile(`\n\s*\n`)
	blockOpens = regexp.MustCompile(`(?i)\s*<(p|h[1-6]|ul|ol|table|div|pre|blockquote)\b`)
	blockEnds  = regexp.MustCompile(`(?i)</(p|h[1-6]|ul|ol|table|div|pre|blockquote)>\s*`)
	blockTag   = regexp.MustCompile(`(?i)^<(p|h[1-6]|ul|ol|li|table|tr|td|div|pre|blockquote|figure|section)\b`)
)

// content imitates the_content, which WordPress applies to a description or excerpt: paragraphs around text
// outside of paragraphs, then typography.
func content(s string, lang *language) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	s = blockOpens.ReplaceAllString(blockEnds.ReplaceAllString(s, "</$1>\n\n"), "\n\n<$1")
	parts := blankLines.Split(strings.Trim(s, "\r\n"), -1)
	for i, part := range parts {
		if !blockTag.MatchString(part) {
			parts[i] = "<p>" + strings.ReplaceAll(part, "\n", "<br />\n") + "</p>"
		}
	}
	return texturize(strings.Join(parts, "\n"), lang)
}

// ldDescription is the description inside json_ld: a text without paragraphs, escaped.
func ldDescription(rendered string) string { return html.EscapeString(plainText.Replace(rendered)) }
