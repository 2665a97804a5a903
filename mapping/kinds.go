package mapping

import (
	"cmp"
	"math"
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

// value is a checked value in its canonical form: as text for a query and a
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

// normalize checks n against p and returns its canonical form.
func (p *Param) normalize(n *Node) (value, *Fault) {
	switch p.Kind {
	case IDSet, TermSet:
		texts, f := p.members(n)
		if f != nil {
			return value{}, f
		}
		return value{text: sorted(texts), json: "[]"}, nil
	case Terms:
		return p.terms(n.elements())
	case Links:
		return p.links(n)
	}
	n = n.last()
	if n.kind == jsonNull {
		if p.acceptsNull() {
			return value{}, nil
		}
		f := p.wrongType(p.Kind.JSONType())
		f.Opaque = false // the legacy leaves null to the schema (recordings odd-update-02-title and its like)
		return value{}, f
	}
	if n.kind == list && p.Kind == Price {
		return p.prices(n)
	}
	if n.kind == list || n.kind == object {
		return value{}, p.wrongType(p.Kind.JSONType())
	}
	if f := p.checkText(n); f != nil {
		return value{}, f
	}
	blank := n.text == "" || p.In == InBody && n.text == "0" || p.CannotEmpty && strings.TrimSpace(n.text) == ""
	if p.Filled && blank { // of a field "0" too: the legacy checks it with PHP's empty()
		return value{}, p.emptyFault()
	}
	return p.scalar(n)
}

// acceptsNull reports whether null is accepted: as absent, or in an update as empty.
func (p *Param) acceptsNull() bool { return p.Null || p.Kind == Untyped || p.Kind == Price }

// emptyFault returns the fault of an empty p. An empty field is refused by the legacy.
func (p *Param) emptyFault() *Fault {
	if p.In == InBody {
		f := p.fault(CodeInvalid, "refused_empty")
		f.Opaque = true
		return f
	}
	return p.fault(CodeInvalid, "empty")
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
		if n.kind == jsonBoolean { // an item without one shows false, and the legacy refuses it
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

func (p *Param) plainText(n *Node) (value, *Fault) {
	switch {
	case n.kind == jsonNumber || n.kind == jsonBoolean:
		return value{}, p.wrongType("string")
	case p.Enum != nil && !slices.Contains(p.Enum, n.text):
		return value{}, p.notInEnum()
	case n.text == "" && p.In == InQuery:
		return value{}, nil // a filter for nothing is no filter
	case p.Kind == Slug && (strings.Contains(n.text, "/") || SafeSlug(n.text) == ""):
		// The legacy makes it safe: it would be no segment of a path, or nothing then.
		return value{}, p.fault(CodeInvalid, "slug")
	}
	return textValue(n.text), nil
}

// checkText checks what applies to every scalar: encoding, characters, length.
func (p *Param) checkText(n *Node) *Fault {
	switch {
	case isPlain(n.text): // most
	case !utf8.ValidString(n.text) && (p.In != InQuery || p.Kind != Text || p.Secret):
		// A text of a filter stays percent-encoded in every key, link and call (recording
		// errors/en/bad-utf8-query). All else can become JSON.
		return p.fault(CodeInvalid, "encoding")
	case strings.ContainsFunc(n.text, isControl):
		return p.fault(CodeInvalid, "control")
	}
	limit := p.Limit()
	if limit == Unlimited || len(n.text) <= limit || utf8.RuneCountInString(n.text) <= limit {
		return nil
	}
	return p.fault(codeTooLong, "too_long", "Max", strconv.Itoa(limit))
}

func (p *Param) Limit() int {
	switch {
	case p.MaxLen != 0:
		return p.MaxLen
	case p.In == InBody:
		return maxBodyText
	}
	return maxQueryText
}

// isControl reports the characters that no text of a calendar has. Tab and line
// ends belong to descriptions.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f
}

// isPlain reports whether s is ASCII without control characters.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
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

// JSONType is the JSON type that messages name.
func (k Kind) JSONType() string {
	switch k {
	case Integer, ID:
		return "integer"
	case Number:
		return "number"
	case Boolean, BooleanLike:
		return "boolean"
	case IDSet, TermSet, Terms, Links:
		return "array"
	}
	return "string"
}

func (p *Param) integer(n *Node) (value, *Fault) {
	if n.kind == jsonBoolean {
		return value{}, p.wrongType("integer")
	}
	i, ok := whole(n.text, n.kind == rawText)
	if !ok {
		return value{}, p.fault(CodeInvalid, "integer")
	}
	if f := p.bounds(float64(i)); f != nil {
		return value{}, f
	}
	if p.Cap > 0 {
		i = min(i, int64(p.Cap))
	}
	s := strconv.FormatInt(i, 10)
	return value{text: s, json: s}, nil
}

// maxWhole is up to where every whole number is a floating-point number.
const maxWhole = 1 << 53

// whole reads a whole number. A loose one may be written as PHP accepts it in queries and forms,
// with blanks around it, a fraction of zeros or an exponent: " 1", "2.0", "1e1".
func whole(s string, loose bool) (int64, bool) {
	if loose {
		s = strings.TrimSpace(s)
	}
	i, err := strconv.ParseInt(strings.TrimPrefix(s, "+"), 10, 64)
	if err == nil {
		return i, !strings.HasPrefix(s, "+-")
	}
	x, ok := decimal(s)
	return int64(x), loose && ok && x == math.Trunc(x) && math.Abs(x) < maxWhole
}

// decimal reads a decimal number. ParseFloat reads more: hexadecimal, underscores,
// Inf, NaN.
func decimal(s string) (float64, bool) {
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && !strings.ContainsAny(s, "xXpP_iInN") && !math.IsInf(x, 0)
}

func (p *Param) number(n *Node) (value, *Fault) {
	x, ok := decimal(n.text)
	if !ok {
		return value{}, p.fault(CodeInvalid, "number")
	}
	if f := p.bounds(x); f != nil {
		return value{}, f
	}
	if x == 0 {
		x = 0 // -0 is 0
	}
	s := strconv.FormatFloat(x, 'f', -1, 64)
	return value{text: s, json: s}, nil
}

func (p *Param) bounds(x float64) *Fault {
	text := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	switch {
	case p.Max != 0 && (x < p.Min || x > p.Max):
		return p.fault(codeBounds, "between", "Min", text(p.Min), "Max", text(p.Max))
	case x < p.Min:
		return p.fault(codeBounds, "min", "Min", text(p.Min))
	}
	return nil
}

// lostPlus matches a time whose offset had a + that a query reads as a blank. To PHP it is no date.
var lostPlus = regexp.MustCompile(`:[0-9]{2}(\.[0-9]+)? [0-9]{2}:[0-9]{2}$`)

// date reads a date in any form that the legacy reads.
func (p *Param) date(s string) (value, *Fault) {
	d, ok := dates.Parse(s)
	switch {
	case p.In == InQuery && lostPlus.MatchString(s):
		f := p.fault(codeDate, "lost_plus")
		f.Opaque = false // the site says no more than that it is invalid, which helps nobody here
		return value{}, f
	case !ok:
		return value{}, p.fault(codeDate, "date")
	case d.Text == "":
		return value{}, p.fault(codeDate, "unreal_date")
	case d.Text == "0" && p.In == InQuery:
		return textValue("now"), nil // what a filter of the legacy means by it
	}
	return textValue(d.Text), nil
}

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

// sameSlug reports whether a client meant an item with the slug found
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
		return cmp.Or(strings.TrimLeft(s, "0"), "0"), nil
	case !utf8.ValidString(s):
		return "", p.fault(CodeInvalid, "encoding")
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", p.fault(CodeInvalid, "control")
	case utf8.RuneCountInString(s) > MaxSlug:
		return "", p.fault(codeTooLong, "too_long", "Max", strconv.Itoa(MaxSlug))
	}
	return s, nil
}
