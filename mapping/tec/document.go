package tec

import (
	"cmp"
	_ "embed" // for the parts of the document
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
)

// The successor describes itself in an OpenAPI document, which is public and needs no
// acknowledgement. Not all of it is true (recordings tec/events-list-categories and -tags), but
// what a new version adds or removes shows where the dialect may have to change.

// documented is the version of the plugin that the dialect was made from (recording tec/docs).
const documented = "6.17.2"

// documentParts are the parts of its document, as parts returns them, one on each line.
//
//go:embed document.txt
var documentParts string

var description = &mapping.Description{Path: "/docs", Compare: compareDocument}

// compareDocument compares a site's document with the document that the dialect was made from.
func compareDocument(text []byte) (mapping.DescriptionChange, error) {
	var d document
	if err := json.Unmarshal(text, &d, json.MatchCaseInsensitiveNames(true)); err != nil || len(d.Paths) == 0 {
		return mapping.DescriptionChange{}, errShape
	}
	is, was := d.parts(), strings.Split(strings.TrimSpace(documentParts), "\n")
	change := mapping.DescriptionChange{Version: documented}
	for _, line := range was {
		if !slices.Contains(is, line) && isUsed(strings.Fields(line)[1]) {
			change.Changes, change.Breaks = append(change.Changes, "- "+line), true
		}
	}
	for _, line := range is {
		if !slices.Contains(was, line) {
			change.Changes = append(change.Changes, "+ "+line)
		}
	}
	return change, nil
}

// isUsed reports whether the dialect sends or reads something of that name.
func isUsed(name string) bool {
	return slices.ContainsFunc(mapping.Table, func(e mapping.Endpoint) bool {
		return slices.ContainsFunc(e.Args, func(p *mapping.Param) bool {
			return strings.TrimSuffix(sentName(e.Resource, p), "[]") == name
		}) || e.Result != nil && slices.ContainsFunc(e.Result.Attributes,
			func(a mapping.Attribute) bool { return nameOf(e.Resource, a.Name) == name })
	})
}

// document has the parts of an OpenAPI document that matter here.
type document struct {
	Paths map[string]map[string]struct {
		Parameters []struct {
			Name, In string
			Schema   schema
		}
		RequestBody content
		Responses   map[string]content
	}
	Components struct{ Schemas map[string]schema }
}

type content struct {
	Content map[string]struct{ Schema schema }
}

type schema struct {
	Ref        string `json:"$ref"`
	Type       jsontext.Value
	Items      *schema
	Enum       []string
	AllOf      []schema
	Properties map[string]jsontext.Value
}

// parts lists, in order, the parameters of lists with their types, the fields of writes, and the members of
// items: "parameter page of GET /events: integer".
func (d *document) parts() []string {
	var all []string
	for path, operations := range d.Paths {
		resource := strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/{id}")
		if !slices.Contains(mapping.Resources(), resource) {
			continue
		}
		for method, o := range operations {
			of := " of " + strings.ToUpper(method) + " " + path
			for _, p := range o.Parameters {
				if p.In == "query" {
					all = append(all, "parameter "+p.Name+of+": "+p.Schema.String())
				}
			}
			for kind, body := range map[string]content{"field ": o.RequestBody, "member ": o.Responses["200"]} {
				names := map[string]bool{}
				for _, media := range body.Content {
					d.collect(names, media.Schema, maxRefs)
				}
				for name := range names {
					all = append(all, kind+name+of)
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

// maxRefs is the maximum depth to which references to schemas are followed.
const maxRefs = 8

// collect adds the members of a body.
func (d *document) collect(names map[string]bool, s schema, depth int) {
	if depth == 0 {
		return
	}
	for name := range s.Properties {
		names[name] = true
	}
	for _, part := range s.AllOf {
		d.collect(names, part, depth-1)
	}
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		d.collect(names, d.Components.Schemas[name], depth-1)
	}
}

// String returns a type: "array of string publish, draft".
func (s schema) String() string {
	text := strings.Trim(string(s.Type), `"`)
	if s.Items != nil {
		text += " of " + s.Items.String()
	}
	if len(s.Enum) > 0 {
		text += " " + strings.Join(s.Enum, ", ")
	}
	return cmp.Or(text, "anything")
}
