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

// unread returns the index of the first field of a write with links that were not read, and their ids.
// [mapping.Written.Done] counts those that were.
func unread(c *mapping.Call) (field int, ids []string) {
	for _, kind := range []mapping.Kind{mapping.Links, mapping.Terms} {
		for i, a := range c.Fields {
			list, ok := idList(a)
			if a.Param.Kind != kind || !ok {
				continue
			}
			linked := jsonscan.AsList(jsonscan.Get(c.Found, a.Param.Name))
			ids = nil
			for _, id := range jsonscan.AsList(jsontext.Value(list)) {
				is := func(item jsontext.Value) bool { return string(jsonscan.Get(item, mapping.IDParam.Name)) == string(id) }
				if !slices.ContainsFunc(linked, is) {
					ids = append(ids, string(id))
				}
			}
			if ids = ids[a.Done:]; len(ids) > 0 {
				return i, ids
			}
		}
	}
	return 0, nil
}

// together returns the first links of a field that one call reads: a venue, an organizer, or several terms.
func together(p *mapping.Param, ids []string) []string {
	if termPaths[p.Of] == "" {
		return ids[:1]
	}
	return ids[:min(len(ids), termsAtOnce)]
}

// linkLookup is the next read of links; nil if all were read.
func linkLookup(c *mapping.Call) *mapping.Call {
	field, ids := unread(c)
	if ids == nil {
		return nil
	}
	p := c.Fields[field].Param
	if ids = together(p, ids); termPaths[p.Of] != "" {
		return mapping.TermsByID(p.Of, ids, c.Language)
	}
	read := readFor(c, p.Of, mapping.Read, mapping.Arg{Param: &forField, Text: p.Name})
	read.Item = ids[0]
	return read
}

// withLinks returns a write after its first unread links were read.
func withLinks(b mapping.Backend, c *mapping.Call, found []byte) (*mapping.Call, error) {
	field, ids := unread(c)
	p := c.Fields[field].Param
	isTerm := termPaths[p.Of] != ""
	if !isTerm && len(ids) > maxLinked {
		return nil, mapping.Lacking{p.Name}
	}
	terms, read := jsonscan.AsList(jsonscan.Get(found, p.Of)), together(p, ids)
	for _, id := range read {
		is := func(term jsontext.Value) bool {
			there, _ := mapping.ItemID(term)
			return b.IDs.Legacy(p.Of, there) == id
		}
		if isTerm && !slices.ContainsFunc(terms, is) {
			return nil, mapping.Faults{unknownTerm(p.Name)}
		}
	}
	done := *c
	done.Fields = slices.Clone(c.Fields)
	done.Fields[field].Done += len(read)
	return &done, nil
}

// unknownTerm is the fault of a parameter or a field that names a term that does not exist.
func unknownTerm(name string) mapping.Fault {
	return mapping.Fault{Param: name, Code: mapping.CodeInvalid, Reason: "unknown_term", Opaque: true}
}
