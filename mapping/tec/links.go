package tec

import (
	"slices"
	"strings"

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

// linksOf returns the fields of a write that link items: venues and organizers first.
func linksOf(c *mapping.Call) (fields []mapping.Written) {
	for _, kind := range []mapping.Kind{mapping.Links, mapping.Terms} {
		for _, a := range c.Fields {
			if a.Param.Kind == kind {
				fields = append(fields, a)
			}
		}
	}
	return fields
}

// linkReads returns the reads that show whether the new links of a field exist: one for each venue or organizer, and
// a list for some terms.
func (t *client) linkReads(c *mapping.Call, a mapping.Written) (reads []*mapping.Call) {
	ids := t.newLinks(c, a)
	if termPaths[a.Param.Of] != "" {
		for chunk := range slices.Chunk(ids, termsAtOnce) {
			reads = append(reads, mapping.TermsByID(a.Param.Of, chunk, c.Language))
		}
		return reads
	}
	for _, id := range ids {
		lookup := readFor(c, a.Param.Of, mapping.Read, mapping.Arg{Param: &forField, Text: a.Param.Name})
		lookup.Item = id
		reads = append(reads, lookup)
	}
	return reads
}

// hasTerms reports whether a list has all terms that the read names by id.
func (t *client) hasTerms(body []byte, lookup *mapping.Call) bool {
	resource := lookup.Endpoint.Resource
	terms := jsonscan.AsList(jsonscan.Get(body, resource))
	for id := range strings.SplitSeq(lookup.Value(mapping.IncludeName), ",") {
		isTerm := func(term jsontext.Value) bool {
			backendID, _ := mapping.ItemID(term)
			return t.IDs.Legacy(resource, backendID) == id
		}
		if !slices.ContainsFunc(terms, isTerm) {
			return false
		}
	}
	return true
}

// newLinks returns the ids in a field that the event does not show.
func (t *client) newLinks(c *mapping.Call, a mapping.Written) (ids []string) {
	list, _ := idList(a)
	linked := jsonscan.AsList(jsonscan.Get(c.Found, a.Param.Name))
	for _, id := range jsonscan.AsList(jsontext.Value(list)) {
		isLinked := func(item jsontext.Value) bool {
			backendID, _ := mapping.ItemID(item)
			return t.IDs.Legacy(a.Param.Of, backendID) == string(id)
		}
		if !slices.ContainsFunc(linked, isLinked) {
			ids = append(ids, string(id))
		}
	}
	return ids
}

// unknownTerm is the fault of a parameter or a field that names a term that does not exist.
func unknownTerm(name string) mapping.Fault {
	return mapping.Fault{Param: name, Code: mapping.CodeInvalid, Reason: "unknown_term", Opaque: true}
}
