package tec

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/dates"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// resetByUpdate are the fields that an update must repeat: the successor sets those that are not
// named to the defaults of a new item (recordings tec/events-update-title and -status).
var resetByUpdate = []string{"status", "sticky"}

// notEmptied are the fields that an update can set and not empty: the successor accepts the empty
// value and ignores it (recordings tec/events-update-featured-false, -all_day-false and -venues-empty).
// An image can be neither set nor removed (recording -featured_media).
var notEmptied = []string{"featured", "all_day", "venue", "image"}

// ignored lists the fields of an update that the successor would ignore.
func ignored(c *mapping.Call, found map[string]jsontext.Value) (names mapping.Lacking) {
	for _, a := range c.Fields {
		if name := a.Param.Name; slices.Contains(notEmptied, name) && isEmpty(a) && isSet(found[name]) {
			names = append(names, name)
		}
	}
	return names
}

func isEmpty(a mapping.Written) bool {
	yes, isBool := mapping.ParseBool(a.Text)
	return a.Text == "" || a.JSON == "[]" || isBool && !yes
}

// isSet reports whether a member of an item has a value that is not empty.
func isSet(v jsontext.Value) bool {
	return v != nil && !slices.Contains([]string{"null", "false", "[]", `""`}, string(v))
}

// completed returns the fields of an update with the fields of the item that the successor would
// reset, or needs beside them.
func completed(c *mapping.Call, found map[string]jsontext.Value) []mapping.Written {
	fields := slices.Clone(c.Fields)
	preserve := func(name string) {
		p := c.Endpoint.Field(name)
		if v := found[name]; p != nil && !c.Named(name) && v != nil && v.Kind() != jsontext.KindNull {
			fields = append(fields, mapping.Written{Arg: mapping.Arg{Param: p, Text: jsonscan.Text(v)}, JSON: string(v), Preserved: true})
		}
	}
	for _, name := range resetByUpdate {
		preserve(name)
	}
	// A start alone is ignored, and an end alone leaves the duration as it was (recordings
	// tec/events-update-start_date and -end_date).
	if c.Named(start) || c.Named(end) {
		preserve(start)
		preserve(end)
	}
	return fields
}

// The dates of an event, by their names in the table.
const (
	start = "start_date"
	end   = "end_date"
)

// field is a field as the successor accepts it.
type field struct {
	name string
	make func(mapping.Written) (value string, ok bool) // JSON; nil: as in the table
}

// postFields are the fields that events, venues and organizers share.
var postFields = map[string]field{
	"author":      {name: "author"},
	"date":        {"date", dateTime},
	"date_utc":    {"date_gmt", dateTime},
	"description": {name: "content"},
	"status":      {name: "status"},
	"image":       {"", noImage},
}

// fieldForms are the fields of each resource, without postFields.
var fieldForms = map[string]map[string]field{
	"events": {
		"title": {name: "title"}, "slug": {name: "slug"}, "excerpt": {name: "excerpt"}, "timezone": {name: "timezone"},
		"all_day": {name: "all_day"}, "sticky": {name: "sticky"}, "featured": {name: "featured"},
		"start_date": {"start_date", dateTime}, "end_date": {"end_date", dateTime}, "cost": {"cost", asText},
		"categories": {"tribe_events_cat", idList}, "tags": {"tags", idList}, "venue": {"venues",
			idList}, "organizer": {"organizers", idList},
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

// memberOf returns the JSON member for a; "" if it must not be sent. ok is false if the successor
// has no such field, or does not accept the value.
func memberOf(resource string, a mapping.Written) (member string, ok bool) {
	field, known := fieldForms[resource][a.Param.Name]
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
	if field.name == "" {
		return "", ok
	}
	return jsonscan.Quote(field.name) + ":" + value, ok
}

func bodyOf(c *mapping.Call) []byte {
	members := make([]string, 0, len(c.Fields))
	for _, a := range c.Fields {
		if member, ok := memberOf(c.Endpoint.Resource, a); ok && member != "" {
			members = append(members, member)
		}
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}

// dateTime adds a time to a day: the successor accepts dates with a time alone.
func dateTime(a mapping.Written) (string, bool) {
	if dates.IsDay(a.Text) {
		return jsonscan.Quote(a.Text + " 00:00:00"), true
	}
	return jsonscan.Quote(a.Text), dates.IsCanonical(a.Text)
}

// noImage accepts the empty value alone: an image cannot be set (recordings tec/events-create and
// tec/events-update-featured_media).
func noImage(a mapping.Written) (string, bool) { return "", a.Text == "" }

func asText(a mapping.Written) (string, bool) { return jsonscan.Quote(a.Text), true }

// idList returns a list of ids.
func idList(a mapping.Written) (string, bool) {
	items := []jsontext.Value{jsontext.Value(a.JSON)}
	if strings.HasPrefix(a.JSON, "[") {
		items, _ = jsonscan.Elements([]byte(a.JSON))
	}
	ids := make([]jsontext.Value, 0, len(items))
	for _, item := range items {
		if id := jsonscan.Get(item, mapping.IDParam.Name); id != nil {
			item = id
		}
		if item.Kind() != jsontext.KindNumber {
			return "", false
		}
		ids = append(ids, item)
	}
	return jsonscan.List(ids), true
}
