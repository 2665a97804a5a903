package sim

import "github.com/calfacade/calfacade/mapping"

// check judges a value that is there. Any error but an *apiError or a tecFault shows as a
// plain "invalid".
type check func(c *call, v any) error

// arg is one argument of an endpoint: its description and how it is checked.
type arg struct {
	name     string
	kind     string // JSON type that is checked strictly after check; "" for none
	required bool
	// schema is shown in descriptions: default, type and the like. A func(*call) any
	// makes the value of a member.
	schema object
	// check runs first and only accepts or refuses; nil accepts everything.
	check check
	twice bool // in the OpenAPI document both in the path and in the body
}

// languageArg is on every endpoint, put there by the plugin that stands in for
// WPML. It is checked and selects nothing.
const languageArg = "wpml_language"

// with adds a word of the schema.
func (a arg) with(name string, value any) arg {
	a.schema = append(object{}, a.schema...).with(name, value)
	return a
}

// describe is the entry of the argument in an index or OPTIONS answer. The name stands for the text of
// the original.
func (a arg) describe(c *call) object {
	var o object
	for _, m := range a.schema {
		if of, ok := m.value.(func(*call) any); ok {
			m.value = of(c)
		}
		o = append(o, m)
	}
	if c.route.pattern != "" { // the index's own have no description
		o = o.with("description", a.name)
	}
	return o.with("required", a.required)
}

// describeLanguageArg is the one argument with an enum and without a description.
func describeLanguageArg() object {
	return object{{"type", "string"}, {"enum", listOf(mapping.Language.Enum)}, {"required", false}}
}
