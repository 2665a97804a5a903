package mapping

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/dates"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// tecSent is a field as the successor takes it.
type tecSent struct {
	name string
	make func(Written) (value string, ok bool) // JSON; nil for what the table has
}

// tecPost are the fields that events, venues and organizers share.
var tecPost = map[string]tecSent{
	"author":      {name: "author"},
	"date":        {"date", tecDateTime},
	"date_utc":    {"date_gmt", tecDateTime},
	"description": {name: "content"},
	"status":      {name: "status"},
	"image":       {"featured_media", tecImage},
}

// tecFields are the fields of each resource, beside tecPost.
var tecFields = map[string]map[string]tecSent{
	"events": {
		"title": {name: "title"}, "slug": {name: "slug"}, "excerpt": {name: "excerpt"}, "timezone": {name: "timezone"},
		"all_day": {name: "all_day"}, "sticky": {name: "sticky"}, "featured": {name: "featured"},
		"start_date": {"start_date", tecDateTime}, "end_date": {"end_date", tecDateTime}, "cost": {"cost", tecText},
		"categories": {"tribe_events_cat", tecIDs}, "tags": {"tags", tecIDs}, "venue": {"venues", tecIDs}, "organizer": {"organizers", tecIDs},
	},
	"venues": {
		"venue": {name: "title"}, "address": {name: "address"}, "city": {name: "city"}, "country": {name: "country"},
		"province": {name: "province"}, "state": {name: "state"}, "stateprovince": {name: "state_province"},
		"zip": {name: "zip"}, "phone": {name: "phone"}, "website": {name: "website"},
	},
	"organizers": {
		"organizer": {name: "title"}, "phone": {name: "phone"}, "website": {name: "website"}, "email": {name: "email"},
	},
	"categories": {"name": {name: "name"}, "description": {name: "description"}, "slug": {name: "slug"}, "parent": {name: "parent"}},
	"tags":       {"name": {name: "name"}, "description": {name: "description"}, "slug": {name: "slug"}},
}

// tecField gives the member that says a; ok is false for what cannot be said.
func tecField(resource string, a Written) (member string, ok bool) {
	field, known := tecFields[resource][a.Param.Name]
	if !known && wpTerms[resource] == "" {
		field, known = tecPost[a.Param.Name]
	}
	if !known {
		return "", false
	}
	value, ok := a.JSON, true
	if field.make != nil {
		value, ok = field.make(a)
	}
	return jsonscan.Quote(field.name) + ":" + value, ok
}

func tecBody(c *Call) []byte {
	members := make([]string, 0, len(c.Fields))
	for _, a := range c.Fields {
		if member, ok := tecField(c.Endpoint.Resource, a); ok {
			members = append(members, member)
		}
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}

// tecDateTime gives a day its time: there is one form.
func tecDateTime(a Written) (string, bool) {
	if dates.IsDay(a.Text) {
		return jsonscan.Quote(a.Text + " 00:00:00"), true
	}
	return jsonscan.Quote(a.Text), dates.IsCanonical(a.Text)
}

// tecImage gives the id of an image; an empty one takes the image away.
func tecImage(a Written) (string, bool) {
	if a.Text == "" {
		return "0", true
	}
	return positive(a.Text)
}

func tecText(a Written) (string, bool) { return jsonscan.Quote(a.Text), true }

// tecIDs gives a list of ids.
func tecIDs(a Written) (string, bool) {
	items := []jsontext.Value{jsontext.Value(a.JSON)}
	if strings.HasPrefix(a.JSON, "[") {
		items, _ = jsonscan.Elements([]byte(a.JSON))
	}
	ids := make([]string, 0, len(items))
	for _, item := range items {
		if given := jsonscan.Get(item, id.Name); given != nil {
			item = given
		}
		if item.Kind() != jsontext.KindNumber {
			return "", false
		}
		ids = append(ids, string(item))
	}
	return "[" + strings.Join(ids, ",") + "]", true
}

// tecKept are the fields that an update has to repeat: what it does not name the
// successor sets to the default of a new item.
var tecKept = []string{"status", "sticky"}

// tecLookup gives the read that c needs first: ids of terms that are named by
// their slugs, and the item that a write is about. An update has to repeat some of
// it, and a deletion answers with nothing.
func tecLookup(c *Call) *Call {
	if c.Endpoint.Action == List {
		return tecTermLookup(c)
	}
	if c.Endpoint.Action != Update && c.Endpoint.Action != Delete || c.Found != nil || wpTerms[c.Endpoint.Resource] != "" {
		return nil
	}
	return c.readItem()
}

// tecTermLookup reads the terms of the first filter that has slugs.
func tecTermLookup(c *Call) *Call {
	for _, a := range c.Query {
		slugs := slugsOf(a)
		if len(slugs) == 0 {
			continue
		}
		return termsBySlug(a.Param.Names, strings.Join(slugs, ","), c.Language)
	}
	return nil
}

// slugsOf are the values of a filter by terms that are no ids.
func slugsOf(a Arg) []string {
	if a.Param.Kind != TermSet {
		return nil
	}
	return slices.DeleteFunc(strings.Split(a.Text, ","), func(s string) bool { return isIndex(s) })
}

// tecComplete gives the call with what tecLookup found.
func tecComplete(b Backend, c *Call, found []byte) (*Call, error) {
	if c.Endpoint.Action == List {
		return tecCompleteTerms(b, c, found)
	}
	done := *c
	there, ok := idOf(found)
	if !ok {
		return nil, errIncomplete
	}
	done.Endpoint, done.Item, done.Found = rowOf(c.Endpoint.Resource, c.Endpoint.Action, false), b.IDs.Legacy(c.Endpoint.Resource, there), found
	if c.Endpoint.Action == Delete {
		return &done, nil
	}
	done.Fields = slices.Clone(c.Fields)
	for i := range c.Endpoint.Fields {
		p := &c.Endpoint.Fields[i]
		value := jsonscan.Get(found, p.Name)
		given := slices.ContainsFunc(c.Fields, func(a Written) bool { return a.Param == p })
		if slices.Contains(tecKept, p.Name) && !given && value != nil && value.Kind() != jsontext.KindNull {
			done.Fields = append(done.Fields, Written{Arg: Arg{p, string(value)}, JSON: string(value)})
		}
	}
	return &done, nil
}

// unknownTerm is an id that no term has. The successor refuses it, as the legacy
// does a slug that it does not know.
const unknownTerm = "0"

func tecCompleteTerms(b Backend, c *Call, found []byte) (*Call, error) {
	done := *c
	done.Query = slices.Clone(c.Query)
	i := slices.IndexFunc(c.Query, func(a Arg) bool { return len(slugsOf(a)) > 0 })
	a := &done.Query[i]
	list := jsonscan.Get(found, a.Param.Names)
	terms, err := jsonscan.Elements(list)
	if err != nil {
		return nil, errIncomplete
	}
	ids := map[string]string{}
	for _, term := range terms {
		slug := jsonscan.Get(term, slug.Name)
		if there, ok := idOf(term); ok && slug.Kind() == jsontext.KindString {
			ids[jsonscan.Text(slug)] = b.IDs.Legacy(a.Param.Names, there)
		}
	}
	values := strings.Split(a.Text, ",")
	for i, value := range values {
		if !isIndex(value) {
			if values[i] = ids[value]; values[i] == "" {
				values[i] = unknownTerm
			}
		}
	}
	a.Text = strings.Join(values, ",")
	return &done, nil
}
