package openapi

import (
	"slices"
	"strconv"

	"github.com/calfacade/calfacade/mapping"
)

// TextKeys lists, sorted, the keys of the texts that the table needs in every
// language, but for those of errors and faults.
func TextKeys() []string {
	keys := []string{
		"document.title", "document.description", "document.methods", "document.error", "document.head", "document.options", "document.body",
		"note.head", "note.options", "response.head", "response.head_error", "response.options", "response.preflight", "response.not_modified",
		"security.basic", "security.cookie", "security.nonce",
	}
	for i := range mapping.Table {
		keys = append(keys, keysOf(&mapping.Table[i])...)
	}
	for _, name := range tagNames() {
		keys = append(keys, "tag."+name)
	}
	for _, s := range documentedShapes() {
		keys = append(keys, shapeKey(s))
		for i := range s.Attributes {
			keys = append(keys, attributeKey(s, &s.Attributes[i]))
		}
	}
	for _, a := range requestFields {
		keys = append(keys, "header."+a.name)
	}
	for i := range responseFields {
		keys = append(keys, "header."+responseFields[i].name)
	}
	for i := range failures {
		keys = append(keys, "response."+strconv.Itoa(failures[i].status))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func keysOf(e *mapping.Endpoint) []string {
	keys := append([]string{e.Name(), "response." + string(e.Action)}, notes(e)...)
	if len(e.Fields) > 0 {
		keys = append(keys, "schema."+string(e.Action))
	}
	for _, p := range e.Args() {
		keys = append(keys, paramKey(e, p))
		if key := generatedKey(p.Generated); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}
