package sim

import (
	"net/url"
	"regexp"
	"strings"

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
