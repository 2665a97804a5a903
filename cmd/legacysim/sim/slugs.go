package sim

import (
	"net/url"
	"regexp"
	"slices"
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

// bySlug returns the post of that kind and slug, or nil. An empty slug finds the first post without a slug,
// which is some draft. A post with a parent is not found: WordPress looks for the slugs of both.
func (b *blog) bySlug(k kind, slug string) *post {
	slug = slugify(slug)
	for _, p := range b.byID {
		if p.kind == k && !p.isMissing && p.slug == slug && p.parent == 0 {
			return p
		}
	}
	return nil
}

// freeSlug is a slug that no other post of the kind has.
func (b *blog) freeSlug(k kind, proposal string, self int) string {
	return numbered(proposal, func(slug string) bool {
		return slices.ContainsFunc(b.byID, func(p *post) bool {
			return p.kind == k && !p.isMissing && p.slug == slug && p.id != self
		})
	})
}

// numbered appends -2, -3 and so on until the slug is not taken.
func numbered(proposal string, isTaken func(slug string) bool) string {
	slug := proposal
	for n := 2; isTaken(slug); n++ {
		slug = proposal + "-" + itoa(n)
	}
	return slug
}

var openTag = regexp.MustCompile(`<[^\s][^>]*(?:>|$)`) // a bracket before a blank is text
