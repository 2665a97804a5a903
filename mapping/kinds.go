package mapping

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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
		return p.set(n.elements())
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
		return p.price(n)
	}
	if n.kind == list || n.kind == object {
		return value{}, p.wrongType(p.Kind.JSONType())
	}
	if f := p.checkText(n); f != nil {
		return value{}, f
	}
	if p.Filled && p.isEmpty(n) {
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

// isEmpty reports whether n is an empty value. Of a field "0" is one too, since the
// legacy checks it with PHP's empty(), and of one with CannotEmpty a blank.
func (p *Param) isEmpty(n *Node) bool {
	return n.text == "" || p.In == InBody && n.text == "0" || p.CannotEmpty && strings.TrimSpace(n.text) == ""
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
		if n.text == "" && p.Filled {
			return value{}, p.fault(CodeInvalid, "empty")
		}
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
	case TextLike, Image:
		if p.Kind == Image && n.kind == jsonBoolean { // false is what an item without one shows, and the legacy refuses it
			return value{}, p.wrongType("string")
		}
		return textValue(n.text), nil
	case Text:
		return p.plainText(n)
	case Slug:
		return p.slugText(n)
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
	}
	return textValue(n.text), nil
}

// slugText reads the slug that an item is to have. The legacy makes it safe; what
// would be no segment of a path, or nothing then, is refused.
func (p *Param) slugText(n *Node) (value, *Fault) {
	v, f := p.plainText(n)
	if f == nil && (strings.Contains(n.text, "/") || SafeSlug(n.text) == "") {
		f = p.fault(CodeInvalid, "slug")
	}
	return v, f
}

// checkText checks what applies to every scalar: encoding, characters, length.
func (p *Param) checkText(n *Node) *Fault {
	switch {
	case isPlain(n.text): // most
	case !utf8.ValidString(n.text) && !p.anyBytes():
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

// anyBytes reports whether p may be invalid UTF-8: a text of a filter, which stays percent-encoded in
// every key, link and call (recording errors/en/bad-utf8-query). All else can become JSON.
func (p *Param) anyBytes() bool { return p.In == InQuery && p.Kind == Text && !p.Secret }

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

func validUTF8(b []byte) bool { return utf8.Valid(b) }

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
