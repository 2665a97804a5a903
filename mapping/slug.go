package mapping

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What WordPress takes out of a slug before it looks at its letters.
var (
	htmlTag    = regexp.MustCompile(`<[^>]*(?:>|$)`)
	htmlEntity = regexp.MustCompile(`&.+?;`)
	octet      = regexp.MustCompile(`^%[0-9a-f]{2}`)
)

// SafeSlug returns the slug that WordPress looks for or stores for s:
// its sanitize_title_with_dashes. "" means that nothing is left of s. Such a slug
// must never reach the legacy, which finds some draft without a slug by it
// (recordings odd-by-slug-*).
//
// Letters outside ASCII stay as they are, where WordPress replaces or encodes them
// in ways that depend on its language.
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

// sameSlug reports whether an item with the slug found is what a client meant
// by the slug want. A slug with letters outside ASCII cannot be compared: it
// is enough that the item has a slug.
func sameSlug(want, found string) bool {
	return found != "" && (!isPlain(want) || SafeSlug(want) == found)
}

// maxIDDigits is where an id is no longer one: PHP reads 19 digits.
const maxIDDigits = 20

// MaxSlug is the length to which the legacy's database cuts a slug, in characters.
const MaxSlug = 200

// item checks what the path has for {id} or {slug}. Slugs that could be read as
// another path are not routed in the first place; see proxy.
func (p *Param) item(s string) (string, *Fault) {
	switch {
	case p.Kind == ID && len(s) > maxIDDigits:
		return "", p.fault(CodeInvalid, "integer")
	case p.Kind == ID:
		return canonicalID(s), nil
	case !utf8.ValidString(s):
		return "", p.fault(CodeInvalid, "encoding")
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", p.fault(CodeInvalid, "control")
	case utf8.RuneCountInString(s) > MaxSlug:
		return "", p.fault(codeTooLong, "too_long", "Max", strconv.Itoa(MaxSlug))
	}
	return s, nil
}

func canonicalID(s string) string {
	if s = strings.TrimLeft(s, "0"); s == "" {
		return "0"
	}
	return s
}
