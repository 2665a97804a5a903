package tec

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/dates"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// resetByUpdate are the fields that an update must repeat: the successor resets absent fields to the defaults
// of a new item (recordings tec/events-update-title and -status).
var resetByUpdate = []string{"status", "sticky"}

// notEmptied are the fields that an update can set and not empty: the successor accepts and ignores the empty
// value (recordings tec/events-update-featured-false, -all_day-false and -venues-empty). An image can be
// neither set nor removed (recording -featured_media).
var notEmptied = []string{"featured", "all_day", "venue", "image"}

// ignored lists the fields of an update that the successor would ignore.
func ignored(c *mapping.Call, item map[string]jsontext.Value) (names mapping.Lacking) {
	for _, a := range c.Fields {
		name := a.Param.Name
		yes, isBool := mapping.ParseBool(a.Text)
		isEmpty := a.Text == "" || a.JSON == "[]" || isBool && !yes
		wasEmpty := slices.Contains([]string{"", "null", "false", "[]", `""`}, string(item[name]))
		if slices.Contains(notEmptied, name) && isEmpty && !wasEmpty {
			names = append(names, name)
		}
	}
	return names
}

// completed returns the fields of an update with the fields of the item that the successor would
// reset, or needs beside them.
func completed(c *mapping.Call, item map[string]jsontext.Value) []mapping.Written {
	fields := slices.Clone(c.Fields)
	needed := resetByUpdate
	// A start without an end is ignored, and an end without a start does not change the duration (recordings
	// tec/events-update-start_date and -end_date).
	if c.Named(start) || c.Named(end) {
		needed = slices.Concat(needed, []string{start, end})
	}
	for _, name := range needed {
		p := c.Endpoint.Field(name)
		v := item[name]
		if p != nil && !c.Named(name) && v != nil && v.Kind() != jsontext.KindNull {
			fields = append(fields, mapping.Written{Arg: mapping.Arg{Param: p, Text: jsonscan.Text(v)}, JSON: string(v), Preserved: true})
		}
	}
	return fields
}

// memberOf returns the JSON member for a; "" if the member must not be sent. ok is false if the successor
// has no such field, or does not accept the value.
func memberOf(resource string, a mapping.Written) (member string, ok bool) {
	value := a.JSON
	ok = !isLacking(resource, a.Param.Name)
	switch a.Param.Kind {
	case mapping.Image: // images cannot be set (recordings tec/events-create and tec/events-update-featured_media)
		return "", a.Text == ""
	case mapping.DateTime:
		value = jsonscan.Quote(dates.WithTime(a.Text))
		ok = dates.IsCanonical(a.Text) // a day without a time is refused
	case mapping.Price:
		value = jsonscan.Quote(a.Text)
	case mapping.Terms, mapping.Links:
		value, ok = idList(a)
	}
	return jsonscan.Quote(nameOf(resource, a.Param.Name)) + ":" + value, ok
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

// idList returns a list of ids.
func idList(a mapping.Written) (string, bool) {
	var ids []jsontext.Value
	for _, item := range jsonscan.AsList(jsontext.Value(a.JSON)) {
		id := jsonscan.Get(item, mapping.IDParam.Name)
		if id != nil {
			item = id
		}
		if item.Kind() != jsontext.KindNumber {
			return "", false
		}
		ids = append(ids, item)
	}
	return jsonscan.List(ids), true
}
