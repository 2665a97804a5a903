package mapping

import (
	"regexp"
	"strings"
	"unicode"
)

// SafeSlug returns the slug that WordPress looks for or stores for s, as sanitize_title_with_dashes does. ""
// means that nothing is left of s. Such a slug must never reach the legacy, which would find some draft without
// a slug (recordings odd-by-slug-*).
//
// Letters outside ASCII stay unchanged; WordPress replaces or encodes these letters in ways that depend on the
// site's language.
func SafeSlug(s string) string {
	s = htmlTag.ReplaceAllString(s, "")
	s = htmlEntity.ReplaceAllString(strings.ToLower(s), "")
	var out strings.Builder
	for i, r := range s {
		switch {
		case r == '%' && octet.MatchString(s[i:]):
			out.WriteByte('%')
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_':
			out.WriteRune(r)
		case r > unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r)):
			out.WriteRune(r)
		case r == '-' || r == '.' || r == '/' || unicode.IsSpace(r):
			out.WriteByte('-')
		}
	}
	return strings.Join(strings.FieldsFunc(out.String(), func(r rune) bool { return r == '-' }), "-")
}

// SameSlug reports whether a client meant an item with the slug found by the slug want. A slug with letters
// outside ASCII cannot be compared: any slug of the item suffices.
func SameSlug(request, slug string) bool {
	return slug != "" && (!IsASCII(request) || SafeSlug(request) == slug)
}

// IsASCII reports whether s is ASCII without control characters.
func IsASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f })
}

// MaxSlug is the length to which the legacy's database cuts a slug, in characters.
const MaxSlug = 200

// Parts that WordPress removes from a slug before replacing letters.
var (
	htmlTag    = regexp.MustCompile(`<[^>]*(?:>|$)`)
	htmlEntity = regexp.MustCompile(`&.+?;`)
	octet      = regexp.MustCompile(`^%[0-9a-f]{2}`)
)

// ReplaceTags replaces the tags of HTML in a text.
func ReplaceTags(s, replacement string) string { return htmlTag.ReplaceAllString(s, replacement) }
