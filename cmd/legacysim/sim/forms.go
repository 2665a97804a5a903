package sim

import (
	_ "embed" // for the forms
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed forms.yaml
var formTexts []byte

// forms are answers, and parts of them, that are mostly the same each time.
var forms = sync.OnceValue(func() (nodes map[string]yaml.Node) {
	if err := yaml.Unmarshal(formTexts, &nodes); err != nil {
		panic("BUG: " + err.Error())
	}
	return nodes
})

// form returns a form with values for the names in the form.
func form(name string, values object) object {
	n := forms()[name]
	return fill(&n, values).(object)
}

// fill returns a part of a form, in the order of the form.
func fill(n *yaml.Node, values object) (v any) {
	switch {
	case n.Kind == yaml.AliasNode:
		return fill(n.Alias, values)
	case n.Kind == yaml.SequenceNode:
		return each(n.Content, func(n *yaml.Node) any { return fill(n, values) })
	case n.Kind == yaml.MappingNode:
		return fillObject(n, values)
	case strings.HasPrefix(n.Value, "$"):
		return values.get(n.Value[1:])
	}
	if err := n.Decode(&v); err != nil {
		panic("BUG: " + err.Error())
	}
	return v
}

// fillObject puts the members of another object where YAML has <<.
func fillObject(n *yaml.Node, values object) object {
	o := object{}
	for pair := range slices.Chunk(n.Content, 2) {
		v := fill(pair[1], values)
		if merged, isObject := v.(object); isObject && pair[0].Value == "<<" {
			o = append(o, merged...)
		} else {
			o = o.with(pair[0].Value, v)
		}
	}
	return o
}
