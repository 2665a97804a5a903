package mapping

import (
	"slices"
	"strconv"
	"strings"
)

// TextKeys lists, sorted, the keys of the texts that the table needs in every
// language, but for those of errors and faults.
func TextKeys() []string {
	keys := []string{
		"document.title", "document.description", "document.methods", "document.error", "document.head", "document.options", "document.body",
		"response.head", "response.head_error", "response.options", "response.preflight", "response.not_modified",
		"security.basic", "security.cookie", "security.nonce",
	}
	for i := range Table {
		keys = append(keys, Table[i].textKeys()...)
	}
	for _, name := range tagNames() {
		keys = append(keys, "tag."+name)
	}
	for _, s := range shapesTold() {
		keys = append(keys, s.describedBy())
		for i := range s.Attributes {
			keys = append(keys, s.textKey(&s.Attributes[i]))
		}
	}
	for _, a := range asked {
		keys = append(keys, "header."+a.name)
	}
	for i := range told {
		keys = append(keys, "header."+told[i].name)
	}
	for i := range failures {
		keys = append(keys, "response."+strconv.Itoa(failures[i].status))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func (e *Endpoint) textKeys() []string {
	keys := append([]string{e.Name(), "response." + string(e.Action)}, e.notes()...)
	if len(e.Fields) > 0 {
		keys = append(keys, "schema."+string(e.Action))
	}
	for _, p := range e.Args() {
		keys = append(keys, e.TextKey(p))
		if key := p.Generated.textKey(); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// textKey is the key of the description of a, an attribute of s.
func (s *Shape) textKey(a *Attribute) string {
	if a.Text != "" {
		return a.Text
	}
	return "answer." + s.Name + "." + a.Name
}

// describedBy is the key of the shape's description.
func (s *Shape) describedBy() string {
	if s.Text != "" {
		return s.Text
	}
	return "schema." + s.Name
}

// TextKey is the key of p's description in the catalogs, such as
// "events.query.search" or "venues.field.city".
func (e *Endpoint) TextKey(p *Param) string {
	if p.Text != "" {
		return p.Text
	}
	place := map[In]string{InQuery: "query", InPath: "path", InBody: "field"}[p.In]
	return strings.TrimPrefix(e.Resource+"."+place+"."+p.Name, ".")
}
