package sim

import (
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

func itoa(n int) string { return strconv.Itoa(n) }

// folding is what slugs and searches make of letters beyond ASCII. Letters of
// other scripts stay, percent-encoded.
var folding = strings.NewReplacer(
	"à", "a", "á", "a", "â", "a", "ã", "a", "ä", "a", "å", "a", "æ", "ae", "ç", "c",
	"è", "e", "é", "e", "ê", "e", "ë", "e", "ì", "i", "í", "i", "î", "i", "ï", "i",
	"ñ", "n", "ò", "o", "ó", "o", "ô", "o", "õ", "o", "ö", "o", "ø", "o", "œ", "oe",
	"ù", "u", "ú", "u", "û", "u", "ü", "u", "ý", "y", "ÿ", "y", "ß", "ss", "š", "s", "ž", "z",
	"’", "", "‘", "", "“", "", "”", "", "„", "", "«", "", "»", "", "…", "", "¿", "", "¡", "",
	"–", "-", "—", "-",
)

// fold makes text comparable as the database's collation does: without case
// and accents.
func fold(s string) string { return folding.Replace(strings.ToLower(s)) }

var markup = regexp.MustCompile(`<[^>]*>|&[^;\s]+;`)

// slugify is sanitize_title: a fixed point on slugs, percent-encoded or not.
func slugify(s string) string {
	if decoded, err := url.PathUnescape(s); err == nil {
		s = decoded
	}
	if strings.ContainsAny(s, "<&") {
		s = markup.ReplaceAllString(s, "")
	}
	var b strings.Builder
	pending := false // a dash, unless nothing follows
	for _, r := range fold(s) {
		part := slugPart(r)
		if part == "-" {
			pending = b.Len() > 0
			continue
		}
		if pending && part != "" {
			b.WriteByte('-')
			pending = false
		}
		b.WriteString(part)
	}
	return b.String()
}

// slugPart is what becomes of a letter: itself, a dash, bytes or nothing.
func slugPart(r rune) string {
	switch {
	case r >= 0x80:
		return strings.ToLower(url.PathEscape(string(r)))
	case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
		return string(r)
	case unicode.IsSpace(r), r == '.', r == '/', r == '-':
		return "-"
	}
	return ""
}

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
	eventHandlers  = regexp.MustCompile(`(?i)\s+on\w+\s*=\s*("[^"]*"|'[^']*')`)
	bareAmpersand  = regexp.MustCompile(`&([^#\w]|$)`)
	unfilteredTags = regexp.MustCompile(`(?s)<(code|pre|script|style)\b.*?</(code|pre|script|style)>|<!--.*?-->|<[^>]*>`)
)

// kses is the filter on what those write who are not trusted with raw HTML.
func kses(s string) string {
	s = eventHandlers.ReplaceAllString(forbiddenTags.ReplaceAllString(s, ""), "")
	return bareAmpersand.ReplaceAllString(s, "&amp;$1")
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
	s = bareAmpersand.ReplaceAllString(s, "&#038;$1")
	s = strings.NewReplacer("...", "&#8230;", " - ", " &#8211; ", " -- ", " &#8212; ").Replace(s)
	var b strings.Builder
	before := ' '
	for _, r := range s {
		opens := unicode.IsSpace(before) || strings.ContainsRune("([{-/", before)
		switch {
		case r == '"' && opens:
			b.WriteString(lang.quotes[0])
		case r == '"':
			b.WriteString(lang.quotes[1])
		case r == '\'' && opens:
			b.WriteString(lang.quotes[2])
		case r == '\'':
			b.WriteString("&#8217;")
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

var (
	blankLines = regexp.MustCompile(`\n\s*\n`)
	blockOpens = regexp.MustCompile(`(?i)\s*<(p|h[1-6]|ul|ol|table|div|pre|blockquote)\b`)
	blockEnds  = regexp.MustCompile(`(?i)</(p|h[1-6]|ul|ol|table|div|pre|blockquote)>\s*`)
	blockTag   = regexp.MustCompile(`(?i)^<(p|h[1-6]|ul|ol|li|table|tr|td|div|pre|blockquote|figure|section)\b`)
)

// content is what the_content does to a description or excerpt: paragraphs
// around what is in none, then typography.
func content(s string, lang *language) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	s = blockOpens.ReplaceAllString(blockEnds.ReplaceAllString(s, "</$1>\n\n"), "\n\n<$1")
	parts := blankLines.Split(strings.TrimSpace(s), -1)
	for i, part := range parts {
		if !blockTag.MatchString(part) {
			parts[i] = "<p>" + strings.ReplaceAll(part, "\n", "<br />\n") + "</p>"
		}
	}
	return texturize(strings.Join(parts, "\n"), lang)
}

// ldDescription is the description inside json_ld: escaped, and for some
// reason ending in a backslash and an n.
func ldDescription(rendered string) string {
	if rendered == "" {
		return ""
	}
	plain := strings.NewReplacer("&#8220;", `"`, "&#8221;", `"`, "</p>\n<p>", " ", "\n", " ").Replace(rendered)
	return strings.ReplaceAll(html.EscapeString(plain), "&#34;", "&quot;") + `\n`
}
