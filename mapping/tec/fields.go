package tec

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/dates"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// field is a field as the successor takes it.
type field struct {
	name string
	make func(mapping.Written) (value string, ok bool) // JSON; nil for what the table has
}

// postFields are the fields that events, venues and organizers share.
var postFields = map[string]field{
	"author":      {name: "author"},
	"date":        {"date", dateTime},
	"date_utc":    {"date_gmt", dateTime},
	"description": {name: "content"},
	"status":      {name: "status"},
	"image":       {"featured_media", imageID},
}

// fields are the fields of each resource, beside postFields.
var fields = map[string]map[string]field{
	"events": {
		"title": {name: "title"}, "slug": {name: "slug"}, "excerpt": {name: "excerpt"}, "timezone": {name: "timezone"},
		"all_day": {name: "all_day"}, "sticky": {name: "sticky"}, "featured": {name: "featured"},
		"start_date": {"start_date", dateTime}, "end_date": {"end_date", dateTime}, "cost": {"cost", asText},
		"categories": {"tribe_events_cat", idList}, "tags": {"tags", idList}, "venue": {"venues", idList}, "organizer": {"organizers", idList},
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

// memberOf returns the member for a; ok is false if there is none.
func memberOf(resource string, a mapping.Written) (member string, ok bool) {
	field, known := fields[resource][a.Param.Name]
	if !known && termPaths[resource] == "" {
		field, known = postFields[a.Param.Name]
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

func bodyOf(c *mapping.Call) []byte {
	members := make([]string, 0, len(c.Fields))
	for _, a := range c.Fields {
		if member, ok := memberOf(c.Endpoint.Resource, a); ok {
			members = append(members, member)
		}
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}

// dateTime returns a day its time: there is one form.
func dateTime(a mapping.Written) (string, bool) {
	if dates.IsDay(a.Text) {
		return jsonscan.Quote(a.Text + " 00:00:00"), true
	}
	return jsonscan.Quote(a.Text), dates.IsCanonical(a.Text)
}

// imageID returns the id of an image; an empty one takes the image away.
func imageID(a mapping.Written) (string, bool) {
	if a.Text == "" {
		return "0", true
	}
	return mapping.ParseID(a.Text)
}

func asText(a mapping.Written) (string, bool) { return jsonscan.Quote(a.Text), true }

// idList returns a list of ids.
func idList(a mapping.Written) (string, bool) {
	items := []jsontext.Value{jsontext.Value(a.JSON)}
	if strings.HasPrefix(a.JSON, "[") {
		items, _ = jsonscan.Elements([]byte(a.JSON))
	}
	ids := make([]string, 0, len(items))
	for _, item := range items {
		if given := jsonscan.Get(item, mapping.IDParam.Name); given != nil {
			item = given
		}
		if item.Kind() != jsontext.KindNumber {
			return "", false
		}
		ids = append(ids, string(item))
	}
	return "[" + strings.Join(ids, ",") + "]", true
}

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
