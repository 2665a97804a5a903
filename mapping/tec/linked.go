package tec

import (
	"net/http"
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
	maxLinked   = 10 // venues and organizers that are read for a write
	termsAtOnce = 10 // terms that are read at once: a page of WordPress
)

// link is a venue, an organizer or a term that a write links to an event.
type link struct{ field, resource, id string }

// linkFields are the fields with links, and the resources of these.
var linkFields = []link{
	{field: "venue", resource: "venues"}, {field: "organizer", resource: "organizers"},
	{field: "categories", resource: "categories"}, {field: "tags", resource: "tags"},
}

// seenMember is the member of [mapping.Call.Found] with the links that were read.
const seenMember = "links seen"

// unseen returns the links of a write that have to be read.
func unseen(c *mapping.Call) (links []link) {
	if c.Endpoint.Resource != "events" || c.Endpoint.Action != mapping.Create && c.Endpoint.Action != mapping.Update {
		return nil
	}
	seen := jsonscan.AsList(jsonscan.Get(c.Found, seenMember))
	for _, l := range linkFields {
		i := slices.IndexFunc(c.Fields, func(a mapping.Written) bool { return a.Param.Name == l.field })
		if i < 0 {
			continue
		}
		list, ok := idList(c.Fields[i])
		linked := jsonscan.AsList(jsonscan.Get(c.Found, l.field))
		for _, id := range jsonscan.AsList(jsontext.Value(list)) {
			l.id = string(id)
			has := func(item jsontext.Value) bool { return string(jsonscan.Get(item, mapping.IDParam.Name)) == l.id }
			if ok && !slices.ContainsFunc(linked, has) && !slices.ContainsFunc(seen, func(v jsontext.Value) bool { return jsonscan.Text(v) == l.key() }) {
				links = append(links, l)
			}
		}
	}
	return links
}

func (l link) key() string { return l.resource + " " + l.id }

func (l link) isTerm() bool { return termPaths[l.resource] != "" }

// together returns the first links that one call reads: a venue, an organizer, or several terms.
func together(links []link) []link {
	n := 1
	for links[0].isTerm() && n < min(len(links), termsAtOnce) && links[n].resource == links[0].resource {
		n++
	}
	return links[:n]
}

// readOf is the read of the first links.
func readOf(c *mapping.Call, links []link) *mapping.Call {
	l := links[0]
	if l.isTerm() {
		var ids []string
		for _, term := range together(links) {
			ids = append(ids, term.id)
		}
		return mapping.TermsByID(l.resource, ids, c.Language)
	}
	return &mapping.Call{
		Endpoint: mapping.RowOf(l.resource, mapping.Read, false), Method: http.MethodGet, Item: l.id, Language: c.Language,
		Query: []mapping.Arg{{Param: &forField, Text: l.field}},
	}
}

// withLinks returns a write after its first unseen links were read.
func withLinks(b mapping.Backend, c *mapping.Call, found []byte) (*mapping.Call, error) {
	links := unseen(c)
	if !links[0].isTerm() && len(links) > maxLinked && !links[maxLinked].isTerm() {
		return nil, mapping.Lacking{links[0].field}
	}
	terms := jsonscan.AsList(jsonscan.Get(found, links[0].resource))
	var seen []string
	for _, l := range together(links) {
		is := func(term jsontext.Value) bool {
			id, _ := mapping.ItemID(term)
			return b.IDs.Legacy(l.resource, id) == l.id
		}
		if l.isTerm() && !slices.ContainsFunc(terms, is) {
			return nil, mapping.Faults{unknownTerm(l.field)}
		}
		seen = append(seen, jsonscan.Quote(l.key()))
	}
	before := jsonscan.AsList(jsonscan.Get(c.Found, seenMember))
	for _, v := range before {
		seen = append(seen, string(v))
	}
	done := *c
	if members := "[" + strings.Join(seen, ",") + "]"; before != nil {
		done.Found = jsonscan.Replace(c.Found, seenMember, members)
	} else {
		done.Found = withMember(c.Found, seenMember, members)
	}
	return &done, nil
}

// unknownTerm is the fault of a parameter or a field that names a term that does not exist.
func unknownTerm(name string) mapping.Fault {
	return mapping.Fault{Param: name, Code: mapping.CodeInvalid, Reason: "unknown_term", Opaque: true}
}

// withMember adds a member to an object, which may be nil.
func withMember(object []byte, name, value string) []byte {
	member := jsonscan.Quote(name) + ":" + value
	if inside := strings.TrimSuffix(strings.TrimSpace(string(object)), "}"); len(inside) > 1 {
		return []byte(inside + "," + member + "}")
	}
	return []byte("{" + member + "}")
}
