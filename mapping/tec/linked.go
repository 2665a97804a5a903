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
// is read first, unless the event has the link already.

// maxLinked is the maximum number of venues and organizers that are read for a write.
const maxLinked = 10

// link is a venue or an organizer that a write links to an event.
type link struct{ field, resource, id string }

// linkFields are the fields with links, and the resources of these.
var linkFields = []link{{field: "venue", resource: "venues"}, {field: "organizer", resource: "organizers"}}

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

// readOf is the read of a link.
func readOf(c *mapping.Call, l link) *mapping.Call {
	return &mapping.Call{
		Endpoint: mapping.RowOf(l.resource, mapping.Read, false), Method: http.MethodGet, Item: l.id, Language: c.Language,
		Query: []mapping.Arg{{Param: &forField, Text: l.field}},
	}
}

// withLink returns a write after its first unseen link was found.
func withLink(c *mapping.Call) (*mapping.Call, error) {
	links := unseen(c)
	if len(links) > maxLinked {
		return nil, mapping.Lacking{links[0].field}
	}
	seen := []string{jsonscan.Quote(links[0].key())}
	for _, v := range jsonscan.AsList(jsonscan.Get(c.Found, seenMember)) {
		seen = append(seen, string(v))
	}
	done := *c
	if members := "[" + strings.Join(seen, ",") + "]"; len(seen) > 1 {
		done.Found = jsonscan.Replace(c.Found, seenMember, members)
	} else {
		done.Found = withMember(c.Found, seenMember, members)
	}
	return &done, nil
}

// withMember adds a member to an object, which may be nil.
func withMember(object []byte, name, value string) []byte {
	member := jsonscan.Quote(name) + ":" + value
	if inside := strings.TrimSuffix(strings.TrimSpace(string(object)), "}"); len(inside) > 1 {
		return []byte(inside + "," + member + "}")
	}
	return []byte("{" + member + "}")
}
