package sim

import "fmt"

// check judges a value that is there. Any error but an *apiError shows as a
// plain "invalid".
type check func(c *call, v any) error

// arg is one argument of an endpoint: its description and how it is
// checked.
type arg struct {
	name     string
	kind     string // JSON type; a declared one without a check is checked strictly
	format   string // shown instead of a type by some
	items    bool   // described as a list of integers
	required bool
	// def is the default that the description shows: nil for none, null for a
	// null, or a func(*call) any.
	def any
	// check runs first and only accepts or refuses, unless it fails with an
	// *apiError.
	check check
	// filter is how the description reads: as a filter, else as a field.
	filter bool
	twice  bool // in the OpenAPI document both in the path and in the body
}

// null is a default that is there, and null.
type null struct{}

// languageArg is on every endpoint, put there by the plugin that stands in for
// WPML. It is checked and selects nothing.
const languageArg = "wpml_language"

// optional makes the fields to update out of those to create.
func optional(args []arg) []arg {
	out := make([]arg, len(args))
	for i, a := range args {
		a.required = false
		out[i] = a
	}
	return out
}

// join puts argument lists one behind the other.
func join(lists ...[]arg) []arg {
	var out []arg
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// without drops an argument by name.
func without(args []arg, name string) []arg {
	var out []arg
	for _, a := range args {
		if a.name != name {
			out = append(out, a)
		}
	}
	return out
}

// pageArgs begin every list.
var pageArgs = []arg{
	{name: "page", kind: "integer", def: 1, check: isPositive, filter: true},
	{name: "per_page", kind: "integer", def: "10", check: isPositive, filter: true},
}

// describe is the entry of the argument in an index or OPTIONS answer.
func (a arg) describe(c *call, noun string) object {
	var o object
	switch def := a.def.(type) {
	case nil:
	case null:
		o = o.with("default", nil)
	case func(*call) any:
		o = o.with("default", def(c))
	default:
		o = o.with("default", def)
	}
	if a.kind != "" {
		o = o.with("type", a.kind)
	}
	if a.format != "" {
		o = o.with("format", a.format)
	}
	if a.items {
		o = o.with("items", object{{"type", "integer"}})
	}
	return o.with("description", c.root.lang.describeArg(a, noun)).with("required", a.required)
}

// describeLanguageArg is the one argument with an enum and without a description.
func describeLanguageArg() object {
	return object{{"type", "string"}, {"enum", list{"en", "fr", "de", "es"}}, {"required", false}}
}

// argTexts are the two sentences that every description is made of: for a
// field of something, and for a filter of a list.
var argTexts = map[string]struct{ field, filter string }{
	"en": {"The %[2]s's field %[1]q", "Which %[2]s to list, by %[1]q"},
	"es": {"El campo «%[1]s» de: %[2]s", "Qué mostrar de «%[2]s», según «%[1]s»"},
	"de": {"Das Feld „%[1]s“ von: %[2]s", "Was von „%[2]s“ gezeigt wird, nach „%[1]s“"},
	"fr": {"Le champ «\u00a0%[1]s\u00a0» de\u00a0: %[2]s", "Ce qui est listé de «\u00a0%[2]s\u00a0», selon «\u00a0%[1]s\u00a0»"},
}

// nouns are the resources in the languages of the site.
var nouns = map[string]map[string]string{
	"es": {"event": "evento", "venue": "recinto", "organizer": "organizador", "event category": "categoría", "event tag": "etiqueta"},
	"de": {"event": "Veranstaltung", "venue": "Veranstaltungsort", "organizer": "Veranstalter", "event category": "Kategorie", "event tag": "Schlagwort"},
	"fr": {"event": "évènement", "venue": "lieu", "organizer": "organisateur", "event category": "catégorie", "event tag": "étiquette"},
}

func (l *language) describeArg(a arg, noun string) string {
	if own := nouns[l.code][noun]; own != "" {
		noun = own
	}
	text := argTexts[l.code].field
	if a.filter {
		text = argTexts[l.code].filter
	}
	return fmt.Sprintf(text, a.name, noun)
}
