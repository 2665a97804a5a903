package tec

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Lists of events ignore the filters categories and tags (recordings tec/events-list-categories
// and tec/events-list-tags). So the terms are read first, page by page, then all events that pass
// the other filters, and the page is selected from the events with the terms.

const (
	maxTerms    = 2_000 // that are read to resolve a filter
	maxFiltered = 1_000 // events that are read to filter them
)

// byTerms lists the filters of a call by terms. The names of the filters are the names of the resources, too.
func byTerms(c *mapping.Call) (names []string) {
	if c.Endpoint.Resource != "events" || c.Endpoint.Action != mapping.List {
		return nil
	}
	for _, a := range c.Query {
		if a.Param.Kind == mapping.TermSet {
			names = append(names, a.Param.Name)
		}
	}
	return names
}

// pageOfTerms returns the read of a page of all terms of a resource.
func pageOfTerms(c *mapping.Call, resource string, page int) *mapping.Call {
	number := mapping.Arg{Param: &mapping.PageParam, Text: strconv.Itoa(page)}
	return readFor(c, resource, mapping.List, number, mapping.Arg{Param: &mapping.SlugParam}) // with a slug: all
}

// resolved returns the ids of the terms that values name by id or slug, and of their
// descendants: for category 10, which has 16 events, the legacy lists 66, and the same number
// for 10 and 12, which is two levels below 10 (recordings events/list-categories-id and
// -array). ok is false if a term is unknown, which the legacy refuses.
func resolved(b mapping.API, resource string, values []string, terms []jsontext.Value) (ids []string, ok bool) {
	children := map[string][]string{}
	termIDs := make([]string, len(terms))
	for i, term := range terms {
		id, _ := mapping.ItemID(term)
		parent := string(jsonscan.Get(term, "parent"))
		termIDs[i] = id
		children[parent] = append(children[parent], id)
	}
	for _, value := range values {
		i := slices.IndexFunc(termIDs, func(id string) bool { return b.IDs.Legacy(resource, id) == value })
		if i < 0 {
			i = slices.IndexFunc(terms, func(term jsontext.Value) bool { return hasSlug(term, value) })
		}
		if i < 0 {
			return nil, false
		}
		ids = append(ids, termIDs[i])
	}
	for i := 0; i < len(ids); i++ { // ids grows by the children
		ids = append(ids, children[ids[i]]...)
		delete(children, ids[i])
	}
	for i, id := range ids {
		ids[i] = b.IDs.Legacy(resource, id)
	}
	return ids, true
}

// selected returns the page of the events that have the terms of the filters, and the number of all such
// events. c has the legacy's ids.
func selected(b mapping.API, c *mapping.Call, items []jsontext.Value) (page []jsontext.Value, total int) {
	passed := slices.Clone(items)
	for _, resource := range byTerms(c) {
		filter := map[string]bool{}
		for id := range strings.SplitSeq(c.Value(resource), ",") {
			filter[id] = true
		}
		passed = slices.DeleteFunc(passed, func(event jsontext.Value) bool {
			terms := jsonscan.AsList(jsonscan.Get(event, nameOf(c.Endpoint.Resource, resource)))
			return !slices.ContainsFunc(terms, func(id jsontext.Value) bool { return filter[b.IDs.Legacy(resource, string(id))] })
		})
	}
	first := min((c.Page()-1)*c.PerPage(), len(passed))
	return passed[first:min(first+c.PerPage(), len(passed))], len(passed)
}
