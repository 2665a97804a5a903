package mapping

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/calfacade/calfacade/mapping/dates"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Limits of single values, in characters and elements.
const (
	maxQueryText = 1000
	maxBodyText  = 65535 // a TEXT column of the legacy's database
	MaxItems     = 1000
)

// value is a checked value in canonical form: as text for a query and a
// key, as JSON for a body. The zero value counts as absent.
type value struct {
	text   string
	json   string // "" for text in quotes
	isText bool
}

func textValue(s string) value { return value{text: s, isText: true} }

func (v value) present() bool { return v.isText || v.json != "" }

func (v value) asJSON() string {
	if v.isText {
		return jsonscan.Quote(v.text)
	}
	return v.json
}

// acceptsNull reports whether null is accepted: as absent, or in an update as empty.
func (p *Param) acceptsNull() bool { return p.Null || p.Kind == Untyped || p.Kind == Price }

// emptyFault returns the fault of an empty p. An empty field is refused by the legacy.
func (p *Param) emptyFault() *Fault {
	if p.In == InBody {
		f := p.Fault(CodeInvalid, "refused_empty")
		f.Opaque = true
		return f
	}
	return p.Fault(CodeInvalid, "empty")
}

func (p *Param) scalar(n *Node) (value, *Fault) {
	switch p.Kind {
	case Integer:
		return p.integer(n)
	case Number:
		return p.number(n)
	case Boolean:
		b, ok := ParseBool(n.text)
		if !ok {
			return value{}, p.wrongType("boolean")
		}
		return boolean(b), nil
	case BooleanLike:
		b, _ := ParseBool(n.text)
		return boolean(b), nil
	case DateTime:
		if n.kind == jsonBoolean {
			return value{}, p.wrongType("string")
		}
		return p.date(n.text)
	case Untyped, Price:
		if n.kind == jsonNumber || n.kind == jsonBoolean {
			return value{text: n.text, json: n.text}, nil
		}
		return textValue(n.text), nil
	case Image:
		if n.kind == jsonBoolean { // an item without an image shows false, and the legacy refuses false
			return value{}, p.wrongType("string")
		}
		return textValue(n.text), nil
	case TextLike:
		return textValue(n.text), nil
	case Text, Slug:
		return p.plainText(n)
	}
	panic("BUG: not a kind of query or body: " + p.Name)
}

func (p *Param) integer(n *Node) (value, *Fault) {
	if n.kind == jsonBoolean {
		return value{}, p.wrongType("integer")
	}
	i, ok := parseWhole(n.text)
	if !ok {
		return value{}, p.Fault(CodeInvalid, "integer")
	}
	if p.Cap > 0 {
		i = min(i, int64(p.Cap))
	}
	return p.bounded(float64(i), strconv.FormatInt(i, 10))
}

func (p *Param) number(n *Node) (value, *Fault) {
	x, ok := decimal(n.text)
	if !ok {
		return value{}, p.Fault(CodeInvalid, "number")
	}
	if x == 0 {
		x = 0 // -0 is 0
	}
	return p.bounded(x, decimalText(x))
}

func decimalText(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// bounded returns a number that text spells, if the number is within the bounds of p.
func (p *Param) bounded(x float64, text string) (value, *Fault) {
	switch {
	case p.Max != 0 && (x < p.Min || x > p.Max):
		return value{}, p.Fault(codeBounds, "between", "Min", decimalText(p.Min), "Max", decimalText(p.Max))
	case x < p.Min:
		return value{}, p.Fault(codeBounds, "min", "Min", decimalText(p.Min))
	}
	return value{text: text, json: text}, nil
}

func (p *Param) plainText(n *Node) (value, *Fault) {
	switch {
	case n.kind == jsonNumber || n.kind == jsonBoolean:
		return value{}, p.wrongType("string")
	case p.Enum != nil && !slices.Contains(p.Enum, n.text):
		return value{}, p.notInEnum()
	case n.text == "" && p.In == InQuery:
		return value{}, nil // a filter for nothing is no filter
	case p.Kind == Slug && (strings.Contains(n.text, "/") || SafeSlug(n.text) == ""):
		// The legacy sanitizes the slug, which then would be no segment of a path, or empty.
		return value{}, p.Fault(CodeInvalid, "slug")
	}
	return textValue(n.text), nil
}

// checkText checks the properties of every scalar: encoding, characters, length.
func (p *Param) checkText(n *Node) *Fault {
	switch {
	case !utf8.ValidString(n.text) && (p.In != InQuery || p.Kind != Text || p.Secret):
		// A text of a filter stays percent-encoded in every key, link and call (recording
		// errors/en/bad-utf8-query). All else can become JSON.
		return p.Fault(CodeInvalid, "encoding")
	case strings.ContainsFunc(n.text, isControl), p.In == InPath && strings.ContainsAny(n.text, "\t\r\n"):
		return p.Fault(CodeInvalid, "control")
	}
	limit := p.Limit()
	if limit == Unlimited || len(n.text) <= limit || utf8.RuneCountInString(n.text) <= limit {
		return nil
	}
	return p.Fault(codeTooLong, "too_long", "Max", strconv.Itoa(limit))
}

func (p *Param) Limit() int {
	switch {
	case p.In == InPath:
		return MaxSlug
	case p.MaxLen != 0:
		return p.MaxLen
	case p.In == InBody:
		return maxBodyText
	}
	return maxQueryText
}

func boolean(b bool) value {
	s := strconv.FormatBool(b)
	return value{text: s, json: s}
}

// ParseBool reads the words that mean yes and no.
func ParseBool(s string) (yes, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "1", "yes", "on":
		return true, true
	case "false", "0", "no", "off":
		return false, true
	}
	return false, false
}

// lostPlus matches a time with an offset after a +, which a query reads as a blank. To PHP such a text is no date.
var lostPlus = regexp.MustCompile(`:[0-9]{2}(\.[0-9]+)? [0-9]{2}:[0-9]{2}$`)

// date reads a date in any form that the legacy reads.
func (p *Param) date(s string) (value, *Fault) {
	d, ok := dates.Parse(s)
	switch {
	case p.In == InQuery && lostPlus.MatchString(d.Text):
		f := p.Fault(CodeDate, "lost_plus")
		f.Opaque = false // the site's text is only that the date is invalid, which helps nobody here
		return value{}, f
	case !ok:
		return value{}, p.Fault(CodeDate, "date")
	case d.Text == "":
		return value{}, p.Fault(CodeDate, "unreal_date")
	case d.Text == "0" && p.In == InQuery:
		return textValue("now"), nil // a filter of the legacy reads 0 as now
	}
	return textValue(d.Text), nil
}

// maxIDDigits is the length from which a number is no id: PHP reads 19 digits.
const maxIDDigits = 20

// item checks the segment of the path at {id} or {slug}. Slugs that could be read as
// another path are not routed in the first place; see proxy.
func (p *Param) item(s string) (string, *Fault) {
	if p.Kind != ID {
		return s, p.checkText(&Node{text: s})
	}
	id := cmp.Or(strings.TrimLeft(s, "0"), "0")
	if len(id) > maxIDDigits {
		return "", p.Fault(CodeInvalid, "integer")
	}
	return id, nil
}

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

// Parts that WordPress removes from a slug before replacing letters.
var (
	htmlTag    = regexp.MustCompile(`<[^>]*(?:>|$)`)
	htmlEntity = regexp.MustCompile(`&.+?;`)
	octet      = regexp.MustCompile(`^%[0-9a-f]{2}`)
)

// ReplaceTags replaces the tags of HTML in a text.
func ReplaceTags(s, replacement string) string { return htmlTag.ReplaceAllString(s, replacement) }
