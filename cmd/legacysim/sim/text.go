package sim

import (
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/calfacade/calfacade/mapping"
)

// folding replaces letters beyond ASCII as slugs and searches do. Letters of
// other scripts stay, percent-encoded.
var folding = strings.NewReplacer(
	"à", "a", "á", "a", "â", "a", "ã", "a", "ä", "a", "å", "a", "æ", "ae", "ç", "c",
	"è", "e", "é", "e", "ê", "e", "ë", "e", "ì", "i", "í", "i", "î", "i", "ï", "i",
	"ñ", "n", "ò", "o", "ó", "o", "ô", "o", "õ", "o", "ö", "o", "ø", "o", "œ", "oe",
	"ù", "u", "ú", "u", "û", "u", "ü", "u", "ý", "y", "ÿ", "y", "ß", "ss", "š", "s", "ž", "z",
	"’", "", "‘", "", "“", "", "”", "", "„", "", "«", "", "»", "", "…", "", "¿", "", "¡", "",
	"–", "-", "—", "-", "€", "e", "£", "",
)

// fold makes text comparable as the database's collation does: without case
// and accents.
func fold(s string) string { return folding.Replace(strings.ToLower(s)) }

// slugify is sanitize_title: a fixed point on slugs. A percent-encoded part stays so,
// also a slash.
func slugify(s string) string {
	return mapping.SafeSlug(escapeLetters(fold(openTag.ReplaceAllString(s, ""))))
}

// escapeLetters percent-encodes letters beyond ASCII, as far as there is room.
func escapeLetters(s string) string {
	var b strings.Builder
	for _, r := range s {
		part := string(r)
		if r >= 0x80 {
			part = strings.ToLower(url.PathEscape(part))
		}
		if b.Len()+len(part) > mapping.MaxSlug { // escaped characters count with all bytes of the escape
			break
		}
		b.WriteString(part)
	}
	return b.String()
}

var openTag = regexp.MustCompile(`<[^\s][^>]*(?:>|$)`) // a bracket before a blank is text

// numbered appends -2, -3 and so on until the slug is not taken.
func numbered(proposal string, isTaken func(slug string) bool) string {
	slug := proposal
	for n := 2; isTaken(slug); n++ {
		slug = proposal + "-" + itoa(n)
	}
	return slug
}

func itoa(n int) string { return strconv.Itoa(n) }

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// stripSlashes removes backslashes from a text, as WordPress does from everything written: one is removed,
// two become one.
func stripSlashes(s string) string { return backslash.ReplaceAllString(s, "$1") }

var backslash = regexp.MustCompile(`(?s)\\(.?)`)

var anyTag = regexp.MustCompile(`<[^>]*>`)

var anyEntity = regexp.MustCompile(`&(#\d+;|#[xX][0-9a-fA-F]+;|\w+;)?`)

// escapeAmpersands replaces those that begin no entity.
func escapeAmpersands(s, replacement string) string {
	return anyEntity.ReplaceAllStringFunc(s, func(m string) string {
		if m == "&" {
			return replacement
		}
		return m
	})
}

// storedName is a name as WordPress stores names. Backslashes stay, unlike in posts.
func storedName(s string) string {
	return strings.TrimSpace(escapeAmpersands(anyTag.ReplaceAllString(s, ""), "&amp;"))
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

// ldDescription is the description inside json_ld: escaped, and for some
// reason ending in a backslash and an n.
func ldDescription(rendered string) string {
	if rendered == "" {
		return ""
	}
	return strings.ReplaceAll(html.EscapeString(plainText.Replace(rendered)), "&#34;", "&quot;") + `\n`
}
