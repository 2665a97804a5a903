package tec

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// resetByUpdate are the fields that an update has to repeat: what it does not name the
// successor sets to the default of a new item.
var resetByUpdate = []string{"status", "sticky"}

// Lookup returns the read that c needs first: ids of terms that are named by
// their slugs, and the item that a write is about. An update has to repeat some of
// it, and a deletion answers with nothing.
func (translator) Lookup(c *mapping.Call) *mapping.Call {
	if c.Endpoint.Action == mapping.List {
		return termLookup(c)
	}
	if c.Endpoint.Action != mapping.Update && c.Endpoint.Action != mapping.Delete || c.Found != nil || termPaths[c.Endpoint.Resource] != "" {
		return nil
	}
	return c.ReadItem()
}

// termLookup reads the terms of the first filter that has slugs.
func termLookup(c *mapping.Call) *mapping.Call {
	for _, a := range c.Query {
		slugs := slugsOf(a)
		if len(slugs) == 0 {
			continue
		}
		return mapping.TermsBySlug(a.Param.Names, strings.Join(slugs, ","), c.Language)
	}
	return nil
}

// slugsOf are the values of a filter by terms that are no ids.
func slugsOf(a mapping.Arg) []string {
	if a.Param.Kind != mapping.TermSet {
		return nil
	}
	return slices.DeleteFunc(strings.Split(a.Text, ","), func(s string) bool { return mapping.IsDigits(s) })
}

// Complete returns the call with what Lookup found.
func (translator) Complete(b mapping.Backend, c *mapping.Call, found []byte) (*mapping.Call, error) {
	if c.Endpoint.Action == mapping.List {
		return completeTerms(b, c, found)
	}
	done := *c
	there, ok := mapping.ItemID(found)
	if !ok {
		return nil, mapping.ErrIncomplete
	}
	done.Endpoint, done.Item, done.Found = mapping.RowOf(c.Endpoint.Resource, c.Endpoint.Action, false), b.IDs.Legacy(c.Endpoint.Resource, there), found
	if c.Endpoint.Action == mapping.Delete {
		return &done, nil
	}
	done.Fields = slices.Clone(c.Fields)
	for i := range c.Endpoint.Fields {
		p := &c.Endpoint.Fields[i]
		value := jsonscan.Get(found, p.Name)
		given := slices.ContainsFunc(c.Fields, func(a mapping.Written) bool { return a.Param == p })
		if slices.Contains(resetByUpdate, p.Name) && !given && value != nil && value.Kind() != jsontext.KindNull {
			done.Fields = append(done.Fields, mapping.Written{Arg: mapping.Arg{Param: p, Text: string(value)}, JSON: string(value)})
		}
	}
	return &done, nil
}

// unknownTerm is an id that no term has. The successor refuses it, as the legacy
// does a slug that it does not know.
const unknownTerm = "0"

func completeTerms(b mapping.Backend, c *mapping.Call, found []byte) (*mapping.Call, error) {
	done := *c
	done.Query = slices.Clone(c.Query)
	i := slices.IndexFunc(c.Query, func(a mapping.Arg) bool { return len(slugsOf(a)) > 0 })
	a := &done.Query[i]
	list := jsonscan.Get(found, a.Param.Names)
	terms, err := jsonscan.Elements(list)
	if err != nil {
		return nil, mapping.ErrIncomplete
	}
	ids := map[string]string{}
	for _, term := range terms {
		slug := jsonscan.Get(term, mapping.SlugParam.Name)
		if there, ok := mapping.ItemID(term); ok && slug.Kind() == jsontext.KindString {
			ids[jsonscan.Text(slug)] = b.IDs.Legacy(a.Param.Names, there)
		}
	}
	values := strings.Split(a.Text, ",")
	for i, value := range values {
		if !mapping.IsDigits(value) {
			if values[i] = ids[value]; values[i] == "" {
				values[i] = unknownTerm
			}
		}
	}
	a.Text = strings.Join(values, ",")
	return &done, nil
}
