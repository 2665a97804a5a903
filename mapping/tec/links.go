package tec

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// The successor accepts a write with the id of a venue or an organizer that does not exist, or is
// something else, and links nothing (recordings tec/events-create-venues-unknown,
// -venues-of-an-organizer and tec/events-update-venues-unknown). The legacy refuses the write
// (recordings events/create-venue-unknown, events/create-organizer-unknown). So each linked item
// is read first, unless the event has the link already. The same holds for terms
// (recordings tec/three-create-categories-unknown, three-create-tags-unknown), which a list shows
// (recordings tec/wp-tags-include, wp-tribe_events_cat-include).

const (
	maxLinked   = 10 // venues or organizers that are read for a write
	termsAtOnce = 10 // terms that are read at once: a page of WordPress
)

// checkLinks reads the venues, organizers and terms that a write links and the event does not have yet.
// The error names a field with a term that does not exist, or with too many links.
func checkLinks(b mapping.Backend, c *mapping.Call, read mapping.Reader) error {
	for _, kind := range []mapping.Kind{mapping.Links, mapping.Terms} {
		for _, a := range c.Fields {
			if a.Param.Kind != kind {
				continue
			}
			if err := checkLinksOf(b, c, a, read); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkLinksOf(b mapping.Backend, c *mapping.Call, a mapping.Written, read mapping.Reader) error {
	p, ids := a.Param, newLinks(c, a)
	if termPaths[p.Of] == "" && len(ids) > maxLinked {
		return mapping.Lacking{p.Name}
	}
	if termPaths[p.Of] == "" {
		for _, id := range ids {
			item := readFor(c, p.Of, mapping.Read, mapping.Arg{Param: &forField, Text: p.Name})
			item.Item = id
			if _, err := read(item); err != nil {
				return err
			}
		}
		return nil
	}
	for some := range slices.Chunk(ids, termsAtOnce) {
		found, err := read(mapping.TermsByID(p.Of, some, c.Language))
		if err != nil {
			return err
		}
		terms := jsonscan.AsList(jsonscan.Get(found, p.Of))
		for _, id := range some {
			is := func(term jsontext.Value) bool {
				there, _ := mapping.ItemID(term)
				return b.IDs.Legacy(p.Of, there) == id
			}
			if !slices.ContainsFunc(terms, is) {
				return mapping.Faults{unknownTerm(p.Name)}
			}
		}
	}
	return nil
}

// newLinks returns the ids in a field that the event does not show.
func newLinks(c *mapping.Call, a mapping.Written) (ids []string) {
	list, _ := idList(a)
	linked := jsonscan.AsList(jsonscan.Get(c.Found, a.Param.Name))
	for _, id := range jsonscan.AsList(jsontext.Value(list)) {
		is := func(item jsontext.Value) bool { return string(jsonscan.Get(item, mapping.IDParam.Name)) == string(id) }
		if !slices.ContainsFunc(linked, is) {
			ids = append(ids, string(id))
		}
	}
	return ids
}

// unknownTerm is the fault of a parameter or a field that names a term that does not exist.
func unknownTerm(name string) mapping.Fault {
	return mapping.Fault{Param: name, Code: mapping.CodeInvalid, Reason: "unknown_term", Opaque: true}
}
