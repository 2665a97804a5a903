package tec

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
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

// completed returns the fields of an update with those of the item that the successor would
// reset, or needs beside them.
func completed(c *mapping.Call, found map[string]jsontext.Value) []mapping.Written {
	fields := slices.Clone(c.Fields)
	preserve := func(name string) {
		p := paramOf(c, name)
		if v := found[name]; p != nil && !named(fields, name) && v != nil && v.Kind() != jsontext.KindNull {
			fields = append(fields, mapping.Written{Arg: mapping.Arg{Param: p, Text: jsonscan.Text(v)}, JSON: string(v), Preserved: true})
		}
	}
	for _, name := range resetByUpdate {
		preserve(name)
	}
	// A start alone is ignored, and an end alone leaves the duration as it was (recordings
	// tec/events-update-start_date and -end_date).
	if named(fields, start) || named(fields, end) {
		preserve(start)
		preserve(end)
	}
	return fields
}

func paramOf(c *mapping.Call, name string) *mapping.Param {
	i := slices.IndexFunc(c.Endpoint.Fields, func(p mapping.Param) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Endpoint.Fields[i]
}

func named(fields []mapping.Written, name string) bool {
	return slices.ContainsFunc(fields, func(a mapping.Written) bool { return a.Param.Name == name })
}

// The dates of an event, by their names in the table.
const (
	start = "start_date"
	end   = "end_date"
)
